// The one error that engines throw.

/** Statuses of moire.h without their prefix; other engines map theirs to these. */
export const engineStatuses = [
  'E_INTERNAL',
  'E_INVALID',
  'E_HANDLE',
  'E_CANCELLED',
  'E_TIMEOUT',
  'E_BUSY',
  'E_BUFFER',
  'E_VERSION',
  'E_IO',
  'E_FORMAT',
  'E_UNSUPPORTED',
  'E_MEMORY',
  'E_STATE',
] as const;
export type EngineStatus = (typeof engineStatuses)[number];

export class EngineError extends Error {
  override readonly name = 'EngineError';

  /** `where`: file, tensor, JSON pointer or setting; `message`: what happened and what to do. */
  constructor(
    readonly status: EngineStatus,
    readonly where: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  static cancelled(): EngineError {
    return new EngineError('E_CANCELLED', '', 'cancelled');
  }
}
