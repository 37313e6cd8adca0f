// The table of all engines whose logs are known. Where two know the same object, the first one counts.
import { aiPerf } from './aiPerf';
import { dflash } from './dflash';
import { dflashMlx } from './dflashMlx';
import { exllamav3 } from './exllamav3';
import { llamaCpp } from './llamaCpp';
import { lmStudio } from './lmStudio';
import { mlxcel } from './mlxcel/mlxcel';
import { mlxLm } from './mlxLm';
import { mlxVlm } from './mlxVlm';
import { moire } from './moireReader';
import { ollama } from './ollama';
import { omlx } from './omlx';
import { openAi } from './openAi';
import type { EngineLogs, Format } from './reader';
import { sglang } from './sglang';
import { tabbyApi } from './tabbyApi';
import { tensorrtLlm } from './tensorrtLlm';
import { tgi } from './tgi';
import { vllm } from './vllm';
import { xinfer } from './xinfer';

export const engines: readonly EngineLogs[] = [moire, mlxcel, aiPerf, vllm, sglang, llamaCpp, tensorrtLlm, mlxLm, mlxVlm, dflash, dflashMlx, omlx, xinfer, lmStudio, tgi, exllamav3, tabbyApi, ollama, openAi];

export const allFormats: readonly Format[] = engines.flatMap(({ formats }) => formats);

export const engineNames: readonly string[] = [...new Set(allFormats.map(({ engine }) => engine))];
