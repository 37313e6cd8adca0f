// A file that a page hands over to be written.
import { z } from 'zod';
import { exportFormats, exportLimit, type ExportFormat } from './exportLimits';

export interface ExportedFile {
  readonly format: ExportFormat;
  /** Of what is in it. */
  readonly name: string;
  /** Text, or the base64 of a PNG. */
  readonly content: string;
}

/** The same in a message. */
export const exportedFile = { format: z.enum(exportFormats), name: z.string().max(1000), content: z.string().max(exportLimit) };
