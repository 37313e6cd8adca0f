// Where a page finds the texts of its language: JSON, English text to its translation, in a script element that no browser runs.
export const textsId = 'moire-texts';

/** The element for a page; "" where English is shown. In JSON `<` stands in strings alone, where its escape means the same and no text can end the element. */
export function textsElement(texts: unknown): string {
  if (texts === undefined) return '';
  return `<script type="application/json" id="${textsId}">${JSON.stringify(texts).replaceAll('<', '\\u003c')}</script>`;
}
