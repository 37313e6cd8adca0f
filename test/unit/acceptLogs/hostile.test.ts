// Logs that lie, end early or never end: a finding or a clear problem, never a hang, a crash or gigabytes.
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstViolation, type Capture } from '../../../src/shared/capture';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { Problem } from '../../../src/engine/problem';
import { acceptsLine, diagnosticsLine, importText, inFolder, problemOf, samples, sampleText, threeWith, wholeDiagnostics, type RoundText } from './support';

describe('numbers that are none', () => {
  const rounds: [string, Partial<RoundText>, RegExp][] = [
    ['an id beyond 32 bits', { drafts: [5, '4294967296', 7] }, /draft_tokens\[1\] is "4294967296", not a whole number from 0 to 4294967295/],
    ['a negative id', { targets: [5, 6, '-7', 901] }, /target_tokens\[2\] is "-7"/],
    ['a fraction', { accepted: '1.5' }, /accepted is "1.5"/],
    ['NaN', { accepted: 'NaN' }, /accepted is "NaN"/],
    ['a huge width', { bs: '1000000000000000000' }, /bs is "1000000000000000000"/],
    ['a huge accepted', { accepted: '99999999999999999999' }, /accepted is "99999999999999999999"/],
    ['words', { bonus: 'none' }, /bonus is "none"/],
  ];
  it.each(rounds)('%s in a round', async (_, change, sentence) => {
    const first = firstViolation(await importText(threeWith(1, change)));
    expect(first!.sentence).toMatch(sentence);
    expect(first).toMatchObject({ line: 2, identity: 'numbers are counts' });
  });

  it.each(['1000000000000000000', '-4', 'NaN', '1e300', '7.5', 'inf'])('%s rounds in the diagnostics', async (rounds) => {
    const first = firstViolation(await importText(diagnosticsLine(wholeDiagnostics.replace('rounds=3', `rounds=${rounds}`))));
    expect(first).toMatchObject({ line: 1, identity: 'numbers are counts' });
    expect(first!.sentence).toContain(rounds);
  });

  it.each([
    ['vllm/detailed.json', '"num_spec_steps": 7', '"num_spec_steps": 1e18'],
    ['vllm/detailed.json', '"num_draft_tokens": 21', '"num_draft_tokens": -21'],
    ['aiperf/record.json', '"0": 1', '"900000000": 1'],
    ['exllamav3/dstats.json', '[37, 4, 2, 0.48]', '[37, 4, null, 0.48]'],
    ['exllamav3/dstats.json', '[37, 4, 2, 0.48]', '[37, 4, {}, 0.48]'],
    ['dflash/acceptance-lengths.json', '[4, 4', '["x", 4'],
    ['vllm/metrics.txt', 'position="2"} 25.0', 'position="2"} NaN'],
    ['tgi/metrics.txt', 'le="0"} 30', 'le="0"} -30'],
    ['mlx-lm/from-draft.log', 'token=56860', 'token=99999999999'],
  ])('%s with %s as %s', async (file, from, to) => {
    const text = await sampleText(file);
    const first = firstViolation(await importText(text.replace(from, to)));
    expect(first).not.toBeNull();
    expect(text).toContain(from);
  });
});

describe('JSON', () => {
  it('that is too deep', async () => {
    expect(await problemOf(importText(`{"a":\n${'['.repeat(100_000)}`))).toMatch(/This JSON document cannot be read: it is nested more than 100 deep/);
    expect(await problemOf(importText(`{"timings":${'{"timings":'.repeat(100_000)}`))).toMatch(/nested more than 100 deep/);
  });

  it('that has too many parts', async () => {
    expect(await problemOf(importText(`[\n${'[],'.repeat(3_000_000)}[]]`))).toMatch(/it has more than 2000000 lists and objects/);
  });

  it('that is too large', () =>
    inFolder(async (folder) => {
      const file = path.join(folder, 'large.json');
      const handle = await open(file, 'w');
      await handle.writeFile(`{\n"metrics": "${' '.repeat(100_000)}`);
      await handle.truncate(40_000_000);
      await handle.close();
      expect(await problemOf(importCapture(file))).toMatch(/This JSON document is too large: it has 40.0 MB, at most 33.6 MB are read at once \(.*large.json\)\. Save one object a line/);
    }));

  it('that ends early', async () => {
    const text = await sampleText('vllm/detailed.json');
    expect(await problemOf(importText(text.slice(0, 300)))).toMatch(/This JSON document cannot be read/);
  });

  it('of several lines, one an object', async () => {
    const line = JSON.stringify(JSON.parse(await sampleText('vllm/detailed.json')));
    const capture = await importText(`${line}\n{"other":1}\ndata: ${line}\n\ndata: [DONE]\n2026-09-24 INFO reply ${line}\n${line.slice(0, 200)}`);
    expect(capture.requests.map(({ line: at }) => at)).toEqual([1, 3, 6]);
    expect(firstViolation(capture)).toBeNull();
    expect(capture.findings).toMatchObject([{ severity: 'note', line: 7 }]);
  });
});

describe('files', () => {
  it('that hold no log', async () => {
    const known = /Nothing in this file is a known log of speculative decoding \(.*\)\. Looked for lines, metrics and replies of moire, mlxcel, .*vllm.*moire logs --help/;
    expect(await problemOf(importText('hello\nworld\n'))).toMatch(known);
    expect(await problemOf(importText('{"hello": "world"}'))).toMatch(known);
    expect(await problemOf(importText(''))).toMatch(/This file is empty/);
    expect(await problemOf(importText(Buffer.from([0x1f, 0x8b, 0, 1, 2, 3])))).toMatch(/This file is not text/);
    expect(await problemOf(importCapture(samples))).toMatch(/This is not a file/);
    expect(await problemOf(importCapture(path.join(samples, 'none')))).toMatch(/The log cannot be read: it does not exist \(.*none\)\. Check the path\./);
  });

  it('with one line without end', () =>
    inFolder(async (folder) => {
      const file = path.join(folder, 'endless.log');
      const handle = await open(file, 'w');
      await handle.writeFile('DFlash accept lengths accept_lens=[');
      for (let i = 0; i < 60; i += 1) await handle.writeFile('1, '.repeat(350_000));
      await handle.close();
      const capture = await importCapture(file);
      expect(capture.warnings.join()).toMatch(/line 1 has more than 8388608 characters; the rest of it was not read/);
      expect(capture.requests).toEqual([]);
    }));

  it('with words without end are tried once', async () => {
    const started = performance.now();
    for (const piece of ['a', 'a=', '[', '\u001b[', '\u001b]a;', '"', '{"timings":', "'meta_info': {", '7,', ' ', 'round=[', 'a: ']) {
      for (const anchor of ['DFlash round transcript ', 'DFlash diagnostics ', 'Finish: obj=', "Finish: obj= 'meta_info': {", 'Decode batch', 'vllm:spec_decode_', 'SpecDecoding metrics: ', 'draft acceptance', 'statistics #calls(b,g,a)', '{"timings":', '']) {
        await importText(`${anchor}${piece.repeat(200_000 / piece.length)}\n`).catch((error: unknown) => expect(error).toBeInstanceOf(Problem));
      }
    }
    expect(performance.now() - started).toBeLessThan(25_000);
  }, 60_000);

  it('that hold more than is kept', async () => {
    expect(await problemOf(importText(acceptsLine(Array.from({ length: 500_001 }, () => 1))))).toMatch(/This log holds more than 500000 rounds .*Cut the part of interest/);
    expect(await problemOf(importText(Array.from({ length: 100_002 }, () => 'INFO DFlash generation complete: 120 tokens, 20.0 tok/s, acceptance=80.0%, cycles=24\n').join('')))).toMatch(/more than 100000 requests/);
  });

  it('with a mark of byte order, in UTF-16, with CRLF', async () => {
    const text = await sampleText('mlxcel/accept-lens-w4.log');
    const plain = await importText(text);
    const requests = (capture: Capture): unknown => capture.requests;
    expect(requests(await importText(`\ufeff${text}`))).toEqual(requests(plain));
    expect(requests(await importText(Buffer.from(`\ufeff${text}`, 'utf16le')))).toEqual(requests(plain));
    expect(requests(await importText(text.replaceAll('\n', '\r\n')))).toEqual(requests(plain));
  });

  it('with a byte order mark before a list or a document', async () => {
    expect((await importText(`\ufeff${await sampleText('mlxcel/kept-w4.txt')}`)).format).toBe('mlxcel.keptRows');
    expect((await importText(`\ufeff${await sampleText('vllm/detailed.json')}`)).format).toBe('vllm.detailed');
  });
});

describe('every sample', () => {
  const files = readdir(samples, { recursive: true }).then((names) => names.filter((name) => /\.(log|json|txt|tsv|jsonl)$/.test(name) && name !== 'manifest.json'));

  it('cut at any byte violates nothing that was whole before', async () => {
    const text = await sampleText('mlxcel/full.log');
    await inFolder(async (folder) => {
      const file = path.join(folder, 'cut.log');
      for (let end = 1; end < text.length; end += 97) {
        await writeFile(file, text.slice(0, end));
        const capture = await importCapture(file).catch((error: unknown) => (expect(error).toBeInstanceOf(Problem), null));
        if (capture !== null) expect(firstViolation(capture), `cut at ${end}`).toBeNull();
      }
    });
  });

  it('with bytes changed gives a capture or a problem', async () => {
    let state = 1;
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    await inFolder(async (folder) => {
      const file = path.join(folder, 'changed');
      for (const name of await files) {
        const bytes = await readFile(path.join(samples, name));
        for (let turn = 0; turn < 12; turn += 1) {
          const changed = Buffer.from(bytes);
          for (let i = 0; i < 1 + turn; i += 1) changed[random(changed.length)] = 32 + random(95);
          await writeFile(file, changed);
          await importCapture(file).catch((error: unknown) => expect(error, name).toBeInstanceOf(Problem));
        }
      }
    });
  });
});
