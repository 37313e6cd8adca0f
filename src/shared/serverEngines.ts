// Engines that are known behind an OpenAI-compatible server. Without the validation library, so that the view can use them too.
export const serverEngines = ['moire', 'llama-server', 'vllm', 'sglang', 'mlx-lm', 'mlxcel', 'ollama', 'lm-studio', 'tgi', 'unknown'] as const;
export type ServerEngine = (typeof serverEngines)[number];

export const engineWords: Readonly<Record<ServerEngine, string>> = {
  moire: 'Moire',
  'llama-server': 'llama-server (llama.cpp)',
  vllm: 'vLLM',
  sglang: 'SGLang',
  'mlx-lm': 'mlx-lm',
  mlxcel: 'mlxcel',
  ollama: 'Ollama',
  'lm-studio': 'LM Studio',
  tgi: 'text-generation-inference',
  unknown: 'an engine that does not say its name',
};
