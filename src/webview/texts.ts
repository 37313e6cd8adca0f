// The language of the page: the host puts the texts of its language pack into the page, where there is one. Entries import this before any module that has texts of its own.
import * as l10n from '@vscode/l10n';
import { textsId } from '../shared/pageTexts';

const texts = document.getElementById(textsId)?.textContent;
if (texts !== undefined) l10n.config({ contents: texts });
