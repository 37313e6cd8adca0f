// What the page of a report may hand over to be written. Without the validation library, so that the page can use it too.
export const exportFormats = ['png', 'svg', 'csv', 'md'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Characters of an export; of a PNG those of its base64. */
export const exportLimit = 96 * 1024 * 1024;
