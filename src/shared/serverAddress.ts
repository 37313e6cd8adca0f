// Where a server of somebody else is: checked, and cut down to the part that its endpoints follow.
import { z } from 'zod';

/** "" for an address that can be used, else what is wrong with it. Secrets in it would end up in reports and logs, so it may hold none. */
export function addressFault(text: string): string {
  if (!URL.canParse(text)) return 'the address is no URL; give one such as http://127.0.0.1:8080';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return 'the address begins with http:// or https://';
  if (username !== '' || password !== '') return 'the address holds a user name or password; give the token apart from it';
  return search === '' && hash === '' ? '' : 'the address has a query; give it without, and a token apart from it';
}

export const ServerUrl = z
  .string({ error: 'the address of a server is text' })
  .max(2048, { error: 'the address of a server has more than 2048 characters' })
  .superRefine((text, context) => {
    const fault = addressFault(text);
    if (fault !== '') context.addIssue({ code: 'custom', message: fault });
  });

/** "http://host:1/v1/chat/completions" -> "http://host:1": people give any of them. */
export function serverBase(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1(?:\/(?:models|completions|chat\/completions))?$/, '');
}

/** What a token belongs to: scheme, host and port. */
export const originOf = (text: string): string => new URL(text).origin;
