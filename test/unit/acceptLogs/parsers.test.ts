// The small parsers under the readers.
import { describe, expect, it } from 'vitest';
import { countsOf, roundsFromMean, survivors } from '../../../src/engine/acceptLogs/counts';
import { parseJson } from '../../../src/engine/acceptLogs/jsonText';
import { sampleOf } from '../../../src/engine/acceptLogs/prometheus';
import { readPython } from '../../../src/engine/acceptLogs/pythonLiteral';
import { fieldsOf, isNear, listOf, ratioOf, wholeFrom } from '../../../src/engine/acceptLogs/text';

describe('a Python literal', () => {
  it.each([
    ["{'a': 1, 'b': [1, 2.5, -3], 'c': True, 'd': None}", { a: 1, b: [1, 2.5, -3], c: true, d: null }],
    [`{'text': 'it\\'s \\n "x"', "q": "b'c"}`, { text: 'it\'s \n "x"', q: "b'c" }],
    ["(1, 'a')", [1, 'a']],
    ["{'a': <object at 0x1>, 'b': 2}", { a: null, b: 2 }],
    ["{'a': nan, 'b': tensor([1, 2]), 'c': 3}", { a: null, b: null, c: 3 }],
    ["{'a': 1, 'b': [1, 2", { a: 1, b: [1, 2] }],
    ['', null],
  ])('%s', (text, value) => expect(readPython(text)).toMatchObject(value ?? {}));

  it('never throws and never hangs', () => {
    for (const text of ['{', '[', '{{{{', "{'a'", "{'a':", '[[[[[', "'", '}', ',,,', '{]', '[}', "{'__proto__': 1}", '['.repeat(10_000)]) expect(() => readPython(text)).not.toThrow();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a sample of Prometheus', () => {
  it('has a name, labels and a value', () => {
    const sample = sampleOf('vllm:spec_decode_num_drafts_total{engine="0",model_name="a \\"b\\", c"} 100.0 1790000000');
    expect(sample).toMatchObject({ name: 'vllm:spec_decode_num_drafts_total', value: '100.0' });
    expect(sample!.labels.get('engine')).toBe('0');
    expect(sample!.labels.get('model_name')).toBe('a \\"b\\", c');
    expect(sampleOf('llamacpp:n 40')).toMatchObject({ name: 'llamacpp:n', value: '40' });
    expect(sampleOf('# TYPE a counter')).toBeNull();
    expect(sampleOf('a')).toBeNull();
  });
});

describe('fields of a line', () => {
  it('are values, lists and quoted text', () => {
    expect([...fieldsOf('a=1 b=[2, 3] c="x y" d/e=4.5, a=9 f=[1')]).toEqual([['a', '1'], ['b', '[2, 3]'], ['c', '"x y"'], ['d/e', '4.5'], ['f', '[1']]);
    expect(listOf('[1, 2]')).toEqual(['1', '2']);
    expect(listOf('[]')).toEqual([]);
    expect(listOf('[1, 2')).toBeNull();
    expect(listOf(undefined)).toBeNull();
  });
});

describe('a printed ratio', () => {
  it('is as precise as its digits', () => {
    expect(isNear(ratioOf('0.467')!, 140 / 300)).toBe(true);
    expect(isNear(ratioOf('46.7%')!, 140 / 300)).toBe(true);
    expect(isNear(ratioOf('0.47')!, 0.5)).toBe(false);
    expect(isNear(ratioOf(0.4667)!, 140 / 300)).toBe(true);
    expect(isNear(ratioOf(2.4)!, 2.43)).toBe(false);
    for (const none of ['', 'nan', '1e', 'abc', null, undefined, NaN, '1.2.3', {}]) expect(ratioOf(none)).toBeNull();
  });

  it('gives a whole number back where only one fits', () => {
    expect(wholeFrom(60, { value: 1.5, tolerance: 0.0101 })).toBe(40);
    expect(wholeFrom(60_000, { value: 1.5, tolerance: 0.0101 })).toBeNull();
    expect(wholeFrom(60, { value: 0, tolerance: 0.01 })).toBeNull();
    expect(roundsFromMean(60_000, 120_000, ratioOf('2.50'), 3)).toBe(40_000);
    expect(roundsFromMean(60_000, 110_001, ratioOf('2.50'), 3)).toBeNull();
    expect(roundsFromMean(0, 0, ratioOf('1.00'), 3)).toBeNull();
  });
});

describe('counts', () => {
  it('follow from what is stated', () => {
    expect(survivors([30, 25, 20, 25])).toEqual([70, 45, 25]);
    expect(countsOf({ accepted: [1, 3, 0], width: 4 })).toMatchObject({ roundCount: 3, acceptedSum: 4, proposedSum: 9, keptSum: 7, rewinds: 2, zero: 1, partial: 1, full: 1, keptRows: [2, 4, 1] });
    expect(countsOf({ accepted: [1, 0] })).toMatchObject({ rewinds: null, zero: 1, partial: null, full: null, proposedSum: null });
    expect(countsOf({ accepted: [0, 1, 0], drafted: [0, 1, 3] })).toMatchObject({ zero: 1, full: 1, rewinds: 1, proposedSum: 4 });
    expect(countsOf({})).toMatchObject({ roundCount: null, acceptedSum: null, acceptanceRate: null, meanLengthWithBonus: null });
    expect(countsOf({ roundCount: 0, acceptedSum: 0, proposedSum: 0 })).toMatchObject({ acceptanceRate: null, meanLengthWithBonus: null, keptSum: 0 });
  });
});

describe('JSON', () => {
  it('counts depth outside of strings alone', () => {
    expect(parseJson(JSON.stringify({ a: '['.repeat(1000), b: '\\"[[' }))).toMatchObject({ ok: true });
    expect(parseJson('['.repeat(101) + ']'.repeat(101))).toMatchObject({ ok: false });
    expect(parseJson('{"a": "')).toMatchObject({ ok: false });
  });
});
