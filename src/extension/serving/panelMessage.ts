// What a page may ask for: its messages are checked like any other input.
import { z } from 'zod';
import type { FromPanel, PanelOptions } from '../../shared/panelProtocol';

const folder = z.string().max(4096);
const text = z.string().max(8_000_000);
const id = z.string().regex(/^[\w-]{1,64}$/);

export const Options: z.ZodType<PanelOptions> = z.object({ maxTokens: z.int().min(1).max(1_000_000), temperature: z.number().min(0).max(100), chat: z.boolean(), speculation: z.boolean(), cache: z.boolean() });

export const Message: z.ZodType<FromPanel> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('serve'), model: folder.min(1), drafter: folder }),
  z.object({ type: z.literal('browse'), what: z.enum(['model', 'drafter']) }),
  z.object({ type: z.literal('attach') }),
  z.object({ type: z.literal('stopServer') }),
  z.object({ type: z.literal('complete'), prompt: text, options: Options }),
  z.object({ type: z.literal('stop'), id }),
  z.object({ type: z.literal('useSelection') }),
  ...(['insert', 'replace', 'copy', 'show', 'remove', 'capture', 'inspect'] as const).map((type) => z.object({ type: z.literal(type), id })),
  z.object({ type: z.literal('clearHistory') }),
  z.object({ type: z.literal('askGate') }),
  z.object({ type: z.literal('failed'), message: text }),
]);
