// OpenAI-compatible replies: prediction tokens in the usage details. Defined for predicted outputs; some gateways reuse them for drafting.
import type { CaptureBuilder } from './builder';
import { objectAt } from './jsonText';
import { allZeroWarning } from './logprobs';
import { formatsOf, type EngineLogs, type JsonReader } from './reader';

const formats = formatsOf('openai-compatible', 'openai', {
  usage: ['usage details', 'D', 'defined for predicted outputs; some gateways reuse it for drafting', false, 'request'],
});

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['usage', 'logprobs', 'completion_probabilities'],
    read(reply, at): boolean {
      const usage = objectAt(reply, 'usage');
      const details = usage === null ? null : objectAt(usage, 'completion_tokens_details');
      if (usage === null || details === null || !('accepted_prediction_tokens' in details)) {
        capture.logprobs.see(reply);
        return false;
      }
      const acceptedSum = capture.count(details['accepted_prediction_tokens'], 'accepted_prediction_tokens', at);
      const rejectedSum = capture.count(details['rejected_prediction_tokens'], 'rejected_prediction_tokens', at);
      const prompt = objectAt(usage, 'prompt_tokens_details');
      const cached = prompt === null ? null : capture.count(prompt['cached_tokens'], 'cached_tokens', at);
      const stated = {
        acceptedSum,
        proposedSum: acceptedSum === null || rejectedSum === null ? null : acceptedSum + rejectedSum,
        promptTokens: capture.count(usage['prompt_tokens'], 'prompt_tokens', at),
        generatedTokens: capture.count(usage['completion_tokens'], 'completion_tokens', at),
      };
      const flags = capture.logprobs.flags(reply);
      if (flags.length > 0) capture.warn(allZeroWarning);
      capture.warn('prediction tokens are defined for predicted outputs; only some gateways count drafts in them');
      capture.request({ format: formats.usage, stated, at, flags, facts: { rejectedSum, cached, warm: cached === null ? null : cached > 0, uncertain: true } });
      return true;
    },
  };
}

export const openAi: EngineLogs = { formats: Object.values(formats), json };
