// Names of what is asked of servers. Without the validation library, so that the view can use them too.

/** `chat`: each prompt is one message of the user, in the template of the server. */
export const endpoints = ['completions', 'chat'] as const;
export type Endpoint = (typeof endpoints)[number];

export const servedKinds = ['repeat', 'cache', 'concurrency', 'servers', 'rescore'] as const;
export type ServedKind = (typeof servedKinds)[number];

export function isServed<E extends { readonly kind: string }>(experiment: E): experiment is Extract<E, { kind: ServedKind }> {
  return (servedKinds as readonly string[]).includes(experiment.kind);
}
