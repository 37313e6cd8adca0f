// What the log reader's process holds: state while it reads, rows by window, export, and the look at a text.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CaptureBuilder } from '../../../src/engine/acceptLogs/builder';
import { Dispatch } from '../../../src/engine/acceptLogs/dispatch';
import { exportCapture, jsonPieces } from '../../../src/engine/acceptLogs/exportCapture';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { requestAt, requestDetail, rowsOf } from '../../../src/engine/acceptLogs/logRows';
import { OpenLog } from '../../../src/engine/acceptLogs/openLog';
import { quickLook } from '../../../src/engine/acceptLogs/quickLook';
import { knownTexts } from '../../../src/shared/knownLines';
import { mostIds, mostRows } from '../../../src/shared/logLimits';
import { LogQuestion, type LogState, type RoundRow } from '../../../src/shared/logReaderProtocol';
import { samples } from './support';

const served = path.join(import.meta.dirname, '../../../samples/served/rounds.moire-capture.jsonl');
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'moire-logs-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const wide = (round: number): string => {
  const ids = Array.from({ length: 100 }, (_, i) => 1000 * round + i);
  return `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=${round} bs=101 bonus=${round === 0 ? 7 : 1000 * (round - 1) + 500} draft_tokens=[${ids.join(', ')}] target_tokens=[${[...ids, 1000 * round + 500].join(', ')}] accepted=100 new_tokens=[${[...ids, 1000 * round + 500].join(', ')}]`;
};

describe('the state of a log', () => {
  it('tells of rounds before the log is read to its end, and agrees with the importer at the end', async () => {
    const file = path.join(folder, 'long.log');
    await writeFile(file, Array.from({ length: 20_000 }, (_, i) => wide(i)).join('\n'));
    const states: LogState[] = [];
    const log = new OpenLog('a', file, (state) => states.push(state));
    const end = await log.read(new AbortController().signal);
    const [first] = states.filter(({ counts }) => counts.rounds > 0);
    expect(first!.bytesRead).toBeLessThan(first!.bytes / 2);
    expect(first!.counts).toMatchObject({ requests: 1 });
    expect(states.every(({ phase }) => phase === 'reading')).toBe(true);
    expect(end).toMatchObject({ phase: 'done', engine: 'mlxcel', grade: 'A', bytesRead: end.bytes, counts: { requests: 1, rounds: 20_000, violations: 0 } });
  });

  it('keeps what was read of a log that holds more than is kept, and says why it stops', async () => {
    const file = path.join(folder, 'verylong.log');
    await writeFile(file, Array.from({ length: 500_001 }, (_, i) => `MTPWALK\t2\t1\t${i}\t${i},${i + 1}`).join('\n'));
    const end = await new OpenLog('a', file, () => undefined).read(new AbortController().signal);
    expect(end.phase).toBe('failed');
    expect(end.problem?.title).toBe('This log holds more than 500000 rounds or 16000000 token ids');
    expect(end.counts.rounds).toBe(500_000);
  });

  it('says what a file without known lines is', async () => {
    const file = path.join(folder, 'other.txt');
    await writeFile(file, 'nothing of interest\n');
    const log = new OpenLog('b', file, () => undefined);
    expect(await log.read(new AbortController().signal)).toMatchObject({ slot: 'b', phase: 'failed', engine: '', problem: { title: 'Nothing in this file is a known log of speculative decoding' } });
    expect(() => log.known).toThrow('Nothing of this log was read yet');
  });
});

describe('rows', () => {
  it('are those of the window, with ids cut to what is drawn', async () => {
    const file = path.join(folder, 'wide.log');
    await writeFile(file, [0, 1, 2, 3].map(wide).join('\n'));
    const capture = await importCapture(file);
    const rows = rowsOf(capture, { ask: 'rows', slot: 'a', list: 'rounds', request: 0, from: 1, to: 3 }) as readonly RoundRow[];
    expect(rows.map(({ index, accepted, drafted, line }) => [index, accepted, drafted, line])).toEqual([[1, 100, 100, 2], [2, 100, 100, 3]]);
    expect(rows[0]!.drafts).toHaveLength(mostIds);
  });

  it('stand at the end of the list without more', async () => {
    const capture = await importCapture(served);
    expect(rowsOf(capture, { ask: 'rows', slot: 'a', list: 'requests', from: capture.requests.length - 1, to: capture.requests.length + 100 })).toHaveLength(1);
    expect(() => requestAt(capture, 99)).toThrow('There is no request 99 in this log');
  });

  it('summarise a request: counts of the log, shape counted from its rounds', async () => {
    const capture = await importCapture(path.join(samples, 'mlxcel/full.log'));
    const [request] = capture.requests.filter(({ rounds }) => rounds !== null && rounds.length > 0);
    const detail = requestDetail(request!);
    expect(detail.shown).toBe(request!.rounds!.length);
    expect(detail.shape.histogram!.reduce((all, count) => all + count, 0)).toBe(request!.roundCount);
    expect(detail.shape.positions!.reduce((all, { survived }) => all + survived!, 0)).toBe(request!.acceptedSum);
  });

  it('are refused beyond their bounds', () => {
    const question = (changes: object): boolean => LogQuestion.safeParse({ ask: 'rows', slot: 'a', list: 'rounds', request: 0, from: 0, to: 10, ...changes }).success;
    expect(question({})).toBe(true);
    expect([{ to: mostRows + 1 }, { from: 11 }, { from: -1 }, { from: 0.5 }, { slot: 'c' }, { list: 'files' }, { request: '0' }].map(question)).toEqual([false, false, false, false, false, false, false]);
  });
});

describe('export', () => {
  it('writes the capture as JSON.stringify would, in pieces', async () => {
    const capture = await importCapture(served);
    expect([...jsonPieces(capture)].join('')).toBe(`${JSON.stringify(capture)}\n`);
    const file = path.join(folder, 'capture.json');
    await exportCapture(capture, 'json', file);
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(capture)}\n`);
  });

  it('writes a round a line, and no cell of a name becomes two', async () => {
    const capture = await importCapture(served);
    const file = path.join(folder, 'rounds.tsv');
    await exportCapture({ ...capture, requests: capture.requests.map((request) => ({ ...request, request: 'a\tb\nc' })) }, 'tsv', file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').map((line) => line.split('\t'));
    expect(lines.every(({ length }) => length === 12)).toBe(true);
    const [round] = capture.requests[0]!.rounds!;
    expect(lines[1]).toEqual(['0', 'a b c', '0', '4', '3', String(round!.accepted), String(round!.accepted + 1), String(round!.bonus), round!.drafts!.join(','), round!.targets!.join(','), round!.emitted!.join(','), String(round!.line)]);
    expect(lines).toHaveLength(1 + capture.requests.reduce((all, { rounds }) => all + rounds!.length, 0));
  });

  it('leaves nothing behind where it cannot write, and refuses a table of nothing', async () => {
    const capture = await importCapture(served);
    await expect(exportCapture(capture, 'json', path.join(folder, 'nowhere/x.json'))).rejects.toThrow('The export cannot be written');
    const totals = await importCapture(path.join(samples, 'ollama/runner.log'));
    await expect(exportCapture(totals, 'tsv', path.join(folder, 'none.tsv'))).rejects.toThrow('This log holds no rounds in order');
    expect((await readdir(folder)).filter((name) => name === 'none.tsv' || name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('the look at a text', () => {
  const look = async (file: string): Promise<ReturnType<typeof quickLook>> => quickLook({ text: await readFile(file, 'utf8'), whole: true });

  it('names the engine, the first known line and where requests begin', async () => {
    expect(await look(served)).toMatchObject({ engine: 'moire', grade: 'A', line: 1, requests: [{ ordinal: 0, name: 'prompt-1-width-4', line: 3, rounds: 36 }] });
    expect(await look(path.join(samples, 'vllm/v1.log'))).toMatchObject({ engine: 'vllm', requests: [] });
    expect(await look(path.join(samples, 'aiperf/record.json'))).toMatchObject({ engine: 'aiperf' });
  });

  it('sees the requests of a log that is cut in the middle of one', async () => {
    const text = (await readFile(served, 'utf8')).slice(0, 6000);
    expect(quickLook({ text, whole: false })!.requests[0]).toMatchObject({ ordinal: 0, line: 3 });
  });

  it('sees nothing in other texts that have a known word', () => {
    expect(quickLook({ text: '{"stats": {"files": 3}}\n', whole: true })).toBeNull();
    expect(quickLook({ text: 'eval time = 3 ms, nobody drafted\n', whole: true })).toBeNull();
  });

  it('knows in its sieve what every reader looks for', () => {
    expect([...knownTexts].sort()).toEqual([...new Dispatch(new CaptureBuilder('', '')).anchors].sort());
  });
});
