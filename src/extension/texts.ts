// The language of the modules that also run without VS Code, in tests: they speak through @vscode/l10n, which has the same texts as vscode.l10n. Imported before any of them.
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
