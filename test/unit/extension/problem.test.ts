import { describe, expect, it } from 'vitest';
import { asProblem, fileReason, Problem } from '../../../src/extension/problem';

describe('a problem', () => {
  it('is one sentence or two, with its place once', () => {
    const sentence = (title: string, place: string, action: string): string => new Problem({ kind: 'input', title, place, action }).sentence;
    expect(sentence('The folder is empty', '/m', 'Choose another')).toBe('The folder is empty (/m). Choose another.');
    expect(sentence('The folder /m is empty.', '/m', '')).toBe('The folder /m is empty.');
  });

  it('keeps what the engine said, and takes the blame for anything else', () => {
    const data = { kind: 'environment', title: 'No library', place: '', action: 'Install it' } as const;
    expect(asProblem(Object.assign(new Error('x'), { data })).data).toEqual(data);
    expect(asProblem(Object.assign(new Error('x'), { data: { kind: 'other' } })).data).toMatchObject({ kind: 'engine', title: 'x' });
    expect(asProblem('text').data).toMatchObject({ kind: 'engine', title: 'text' });
  });

  it('says in words what the file system said in codes', () => {
    expect(fileReason(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toBe('there is no space left on the disk');
    const wrapped = Object.assign(new Error('Unable to write (Error: ENOSPC: no space left on device, write)'), { code: 'Unknown' });
    expect(fileReason(wrapped)).toBe('there is no space left on the disk');
    expect(fileReason(new Error('odd'))).toBe('odd');
  });
});
