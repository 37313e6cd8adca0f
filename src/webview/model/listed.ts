// Several things in a sentence, in the language of the page.
import * as l10n from '@vscode/l10n';

/** "2", "2 and 4", "2, 4 and 8" */
export function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : l10n.t('{0} and {1}', items.slice(0, -1).join(', '), last);
}
