// Doctor: is the engine there, does it fit, does it compute rightly here, and is a model usable. Text to paste into an issue.
import { totalmem } from 'node:os';
import process from 'node:process';
import { formatBytes, formatCount, plural } from '../shared/format';
import type { DoctorCheck, DoctorReport, DoctorRequest } from '../shared/engineProtocol';
import { sentenceOf, throwIfCancelled, toProblem } from './problem';
import { quantisationText } from './provenance';
import type { Call, Engine, EngineInfo, ModelInfo } from './types';

const good = (name: string, detail: string): DoctorCheck => ({ name, ok: true, detail, action: '' });

function failed(name: string, error: unknown, action: string): DoctorCheck {
  const { title, place, action: own } = toProblem(error).data;
  return { name, ok: false, detail: sentenceOf({ kind: 'engine', title, place, action: '' }), action: own === '' ? action : own };
}

/** The bytes are the same either way, so this is no failure. */
function usedText(used: readonly string[]): string {
  return used.length > 0
    ? `uses ${used.join(', ')}`
    : 'has none of the instruction sets that the kernels are compiled for (on x86-64: AVX2 with FMA and F16C), so they run as plain code: the same bytes, many times slower';
}

function engineChecks(info: EngineInfo): DoctorCheck[] {
  const { cpu } = info;
  return [
    good('Engine library', `${info.engine} ${info.version} (${info.git}), ${info.library}, sha256 ${info.libraryHash.slice(0, 16)}, built by ${info.compiler} for ${info.target}`),
    good('ABI', `version ${info.abi}`),
    good('Processor', `${cpu.name}, ${plural(cpu.cores, 'core')}; has ${cpu.features.join(', ') || 'no vector extension that is known'}; ${usedText(cpu.used)}`),
    good('Kernels', info.kernels.join(', ')),
    good('Architectures', info.architectures.join(', ')),
  ];
}

async function selfTest(engine: Engine, call: Call): Promise<DoctorCheck> {
  try {
    const { passed, checks } = await engine.selfTest('kernels', call);
    const broken = checks.filter(({ ok }) => !ok);
    if (passed) return good('Kernel self-test', `${plural(checks.length, 'check')} passed`);
    const detail = broken.map(({ name, detail: what }) => `${name}: ${what}`).join('; ');
    return { name: 'Kernel self-test', ok: false, detail, action: 'Results on this machine cannot be trusted. Report this text; until then, compare with the switch isa=scalar.' };
  } catch (error) {
    return failed('Kernel self-test', error, 'Report this text.');
  }
}

function modelChecks(info: ModelInfo): DoctorCheck[] {
  const facts = `${info.architecture}, ${plural(info.layers.length, 'layer')} (${countKinds(info)}), hidden ${info.hidden}, vocabulary ${formatCount(info.vocab)}, context ${formatCount(info.context)}, ${info.dtype}, quantisation ${quantisationText(info)}, ${formatCount(info.parameters)} parameters, ${formatBytes(info.weightBytes)} read by a forward`;
  const enough = info.weightBytes < totalmem();
  return [
    good('Model', facts),
    info.tokenizer
      ? good('Tokenizer', info.chatTemplate ? 'with a chat template' : 'without a chat template')
      : { name: 'Tokenizer', ok: false, detail: 'This folder has no tokenizer.json that can be used: prompts have to be token ids or draws.', action: 'Put the tokenizer.json of the checkpoint into the folder.' },
    enough
      ? good('Memory', `${formatBytes(totalmem())} in this machine`)
      : { name: 'Memory', ok: false, detail: `The weights need ${formatBytes(info.weightBytes)}; this machine has ${formatBytes(totalmem())}.`, action: 'Take a smaller model or a stronger quantisation.' },
    ...info.warnings.map((detail): DoctorCheck => good('Note on the model', detail)),
  ];
}

function countKinds({ layers }: ModelInfo): string {
  const kinds = [...new Set(layers.map(({ kind }) => kind))];
  return kinds.map((kind) => `${layers.filter((layer) => layer.kind === kind).length} ${kind.replace('_', ' ')}`).join(', ');
}

async function model(engine: Engine, folder: string, call: Call): Promise<DoctorCheck[]> {
  if (folder === '') return [];
  try {
    return modelChecks((await engine.inspect(folder, call)).model);
  } catch (error) {
    throwIfCancelled(call.signal);
    return [failed('Model', error, 'Give the folder of a checkpoint: it holds config.json and *.safetensors.')];
  }
}

async function allChecks(open: () => Promise<Engine>, request: DoctorRequest, call: Call): Promise<DoctorCheck[]> {
  let engine: Engine;
  try {
    engine = await open();
  } catch (error) {
    return [failed('Engine library', error, '')];
  }
  return [...engineChecks(engine.info()), await selfTest(engine, call), ...(await model(engine, request.model, call))];
}

function textOf(version: string, checks: readonly DoctorCheck[]): string {
  const lines = checks.flatMap(({ name, ok, detail, action }) => [`${ok ? 'ok  ' : 'FAIL'}  ${name}: ${detail}`, ...(action === '' ? [] : [`      ${action}`])]);
  return [`Moire ${version} on ${process.platform}-${process.arch}, Node ${process.versions.node}`, ...lines, ''].join('\n');
}

/** Never throws for what it finds missing; that is a check that is not ok. */
export async function examine(open: () => Promise<Engine>, request: DoctorRequest, call: Call = {}): Promise<DoctorReport> {
  const checks = await allChecks(open, request, call);
  return { checks, text: textOf(request.extensionVersion, checks) };
}
