import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { Rows } from '../../bases/row/rows.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { checkDefinition, type DataDefinition, fieldsOfFilter } from '../data-function/data-definition.api.js';
import type { AccountFunction } from '../function/function.record.js';
import { FunctionPowers } from '../function/function-powers.api.js';
import { FunctionWork, type NamedFunction } from '../function/function-work.api.js';
import { wholeRules } from '../function/site-function-shapes.api.js';
import type { CreateDataFunction, UpdateDataFunction } from './data-function.operations.js';
import { GateChains } from './gate-chains.js';

/** What every row has beside the values of its fields. */
const ownFields = ['id', 'createdAt', 'updatedAt', 'createdBy'];

/** Makes and changes data functions. */
@Injectable()
export class DataFunctions {
  constructor(
    private readonly work: FunctionWork,
    private readonly powers: FunctionPowers,
    private readonly chains: GateChains,
    private readonly rows: Rows,
    private readonly reads: Reads,
  ) {}

  /** With runAs service it is made as the member's, and a person's approval switches it (settled question Q-S115). */
  async create(call: Call, sent: CreateDataFunction): Promise<object> {
    const { projectId, accessRules, runAs, definition, ...input } = sent;
    await this.check(call, projectId, definition);
    const rules = wholeRules(accessRules);
    await this.chains.check(call, { projectId, id: '' }, rules);
    const made = { ...input, definition, ...(rules ? { accessRules: rules } : {}) };
    const fn = await this.work.create(call, made, { projectId });
    if (runAs !== 'service') return fn;
    const { id, version: seenVersion } = fn as Pick<AccountFunction, 'id'> & { readonly version: string };
    return this.powers.setCapabilities(call, { id, projectId }, { capabilities: ['service'], seenVersion });
  }

  async update(call: Call, named: NamedFunction, sent: UpdateDataFunction): Promise<object> {
    const { projectId, functionId: _, accessRules, definition, ...input } = sent;
    const fn = await this.work.find(call.workspaceId, named);
    if (fn.definition === undefined) refuse('no-data-function');
    if (definition !== undefined) await this.check(call, projectId, definition);
    const rules = wholeRules(accessRules);
    await this.chains.check(call, named, rules);
    return this.work.update(call, named, {
      ...input,
      ...(definition ? { definition } : {}),
      ...(rules ? { accessRules: rules } : {}),
    });
  }

  /** The definition alone, and against the table as it is now. */
  private async check(call: Call, projectId: string, sent: JsonObject): Promise<void> {
    const definition = checkDefinition(sent);
    const project = await this.reads.get<Project>(call.workspaceId, 'projects', projectId);
    if (project === undefined) return refuse('site-not-found');
    const table = await this.rows.table(call, { baseId: project.linkedBaseId, nameOrId: definition.table });
    const fields = table.fields.map(({ name }) => name);
    const unknown = namedIn(definition).filter((name) => !fields.includes(name));
    if (unknown.length > 0)
      refuse('unknown-field', { names: [...new Set(unknown)].slice(0, 10).join(', ') }, { fields });
  }
}

/** The fields of the table that it names; what rows have of their own may be compared and shown, and not written. */
function namedIn({ filter, sort = [], fields = [], values = {} }: DataDefinition): readonly string[] {
  const sorted = sort.map(({ field }) => String(field));
  const read = [...fieldsOfFilter(filter), ...sorted, ...fields].filter((name) => !ownFields.includes(name));
  return [...read, ...Object.keys(values)];
}
