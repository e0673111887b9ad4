import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Rows } from '../../bases/row/rows.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { boundDefinition, withoutIds } from '../data-function/bound-names.api.js';
import { checkDefinition } from '../data-function/data-definition.api.js';
import { checkOnTable } from '../data-function/definition-on-table.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { FunctionCommands, type NamedFunction } from '../function/function-commands.api.js';
import { FunctionPowers } from '../function/rights/function-powers.api.js';
import { wholeRules } from '../function/shown/site-function-shapes.api.js';
import { refuse } from '../functions.refusals.js';
import type { DataFunctionChanges, NewDataFunction } from './data-function-inputs.js';
import { RuleCycles } from './rule-cycles.js';

@Injectable()
export class DataFunctions {
  constructor(
    private readonly work: FunctionCommands,
    private readonly powers: FunctionPowers,
    private readonly chains: RuleCycles,
    private readonly rows: Rows,
    private readonly reads: Reads,
  ) {}

  /**
   * A function with runAs `service` is first created with runAs `member`. A person's approval then changes it (settled
   * question Q-S115).
   * @throws Refusal service-through-identity-mode before anything is created
   */
  async create(call: OperationContext, sent: NewDataFunction): Promise<object> {
    const { projectId, accessRules, runAs, definition, ...input } = sent;
    const { actsAsWorkspaceSwitch } = await settingsOf(this.reads, call.workspaceId);
    if (runAs === 'service' && actsAsWorkspaceSwitch) refuse('service-through-identity-mode');
    const checked = await this.checked(call, projectId, definition);
    const rules = wholeRules(accessRules);
    await this.chains.check(call, { projectId, id: '' }, rules);
    const made = { ...input, definition: checked, ...(rules ? { accessRules: rules } : {}) };
    const fn = await this.work.create(call, made, { projectId });
    if (runAs !== 'service') return fn;
    const { id, version: seenVersion } = fn as Pick<FunctionDocument, 'id'> & { readonly version: string };
    return this.powers.setCapabilities(call, { id, projectId }, { capabilities: ['service'], seenVersion });
  }

  async update(call: OperationContext, named: NamedFunction, sent: DataFunctionChanges): Promise<object> {
    const { projectId, functionId: _, accessRules, definition, ...input } = sent;
    const fn = await this.work.find(call.workspaceId, named);
    if (fn.definition === undefined) refuse('no-data-function', undefined, { at: 'functionId' });
    const checked = definition && (savedAs(fn, definition) ?? (await this.checked(call, projectId, definition)));
    const rules = wholeRules(accessRules);
    await this.chains.check(call, named, rules);
    return this.work.update(call, named, {
      ...input,
      ...(checked ? { definition: checked } : {}),
      ...(rules ? { accessRules: rules } : {}),
    });
  }

  private async checked(call: OperationContext, projectId: string, sent: JsonObject): Promise<JsonObject> {
    const definition = checkDefinition(sent);
    const project = await this.reads.get<Project>(call.workspaceId, 'projects', projectId);
    if (project === undefined) return refuse('site-not-found');
    const table = await this.rows.table(call, { baseId: project.linkedBaseId, nameOrId: definition.table });
    checkOnTable(definition, table);
    return boundDefinition(definition, table) as unknown as JsonObject;
  }
}

/**
 * If `sent` equals the saved definition apart from its ids, returns the saved definition. Its ids still refer to the
 * same fields, even if these have been renamed since.
 */
function savedAs({ draft, definition }: FunctionDocument, sent: JsonObject): JsonObject | undefined {
  const [saved] = [draft?.definition ?? definition].filter((one) => one?.['ids'] !== undefined);
  return saved !== undefined && isDeepStrictEqual(withoutIds(saved), sent) ? saved : undefined;
}
