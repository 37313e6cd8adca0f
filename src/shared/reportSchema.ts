// The published JSON Schema of a report, made from the schema that validates it.
import { z } from 'zod';
import { Report, reportVersion } from './report';

/** JSON Schema (draft 2020-12) of a *.moire.json file. */
export function reportJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(Report, { target: 'draft-2020-12', reused: 'ref', io: 'input' }),
    title: 'Moire report',
    description: `The result document of a Moire probe, version ${reportVersion}.`,
  };
}
