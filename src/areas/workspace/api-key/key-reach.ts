import { Injectable } from '@nestjs/common';
import { allOperations } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { ApiKeyInput } from './api-key.js';

@Injectable()
export class KeyReach {
  constructor(private readonly reads: Reads) {}

  /** @throws Refusal invalid-input if an area or function does not exist */
  async check(workspaceId: string, { areas = [], functions = [] }: ApiKeyInput): Promise<void> {
    const known = new Set(allOperations().map(({ name }) => name.slice(0, name.indexOf('/'))));
    const wrongAreas = areas.flatMap((area, at) =>
      known.has(area) ? [] : [{ path: `areas[${at}]`, message: `must be one of: ${[...known].join(', ')}` }],
    );
    const where = { id: { in: functions } };
    const found = await Promise.all(
      ['functions', 'siteFunctions'].map((collection) => this.reads.find(workspaceId, collection, { where })),
    );
    const ids = new Set(found.flat().map(({ id }) => id));
    const wrongFunctions = functions.flatMap((id, at) =>
      ids.has(id) ? [] : [{ path: `functions[${at}]`, message: 'must be the id of a function' }],
    );
    const problems = [...wrongAreas, ...wrongFunctions];
    if (problems.length > 0) refuseInput(problems);
  }
}
