// The language of what is shown, and English for what goes into files and records, which read the same everywhere.
import * as l10n from '@vscode/l10n';

type Texts = Readonly<Record<string, string>>;
let translated: Texts | null = null;
/** What is made within what is made in English. */
let within = false;

/** Before any text is made. `texts`: JSON, English text to its translation. */
export function speak(texts: string): void {
  translated = JSON.parse(texts) as Texts;
  l10n.config({ contents: translated });
}

export const speaksEnglish = (): boolean => translated === null;

/** What `make` gives without a translation. Texts that were made before keep their language, constants of modules as well. */
export function inEnglish<T>(make: () => T): T {
  if (translated === null || within) return make();
  within = true;
  l10n.config({ contents: {} });
  try {
    return make();
  } finally {
    within = false;
    l10n.config({ contents: translated });
  }
}
