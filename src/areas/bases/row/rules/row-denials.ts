import { Injectable } from '@nestjs/common';
import { RuleDecisions } from '../../../../engine/explain/rule-decisions.js';
import type { Rule } from '../../../../kernel/condition/condition.js';
import type { RulePlace } from '../../../../kernel/judging/decision.js';
import { isRowRule } from '../../../../kernel/judging/judge-on-rows.js';
import { type JudgedPart, judgedTree } from '../../../../kernel/judging/judged-tree.js';
import { outcomesIn } from '../../../../kernel/judging/rule-outcomes.js';
import type { Value } from '../../../../kernel/judging/value.js';
import { cannotBeJudged, Verdict } from '../../../../kernel/judging/verdict.js';
import { Refusal, type RefusedAfter } from '../../../../kernel/refusals/refusal.js';
import { refusalOf } from '../../bases.refusals.js';
import type { Table } from '../../table/table.record.js';
import type { Row } from '../row.record.js';
import { isRowWithin, type RowRight } from './row-access.js';
import { type RowCaller, RowCallers } from './row-callers.js';

const mostRowRules = 20;

type Field = Table['fields'][number];

class RowDenied extends Refusal {
  constructor(
    { code, kind, message, facts, after }: Refusal,
    readonly resource: RulePlace,
    readonly condition: unknown,
    readonly row?: Row | undefined,
  ) {
    super(code, kind, message, facts, after);
  }

  override afterEffect(after?: RefusedAfter): RowDenied {
    return new RowDenied(super.afterEffect(after), this.resource, this.condition, this.row);
  }
}

/**
 * If no row of the table would be allowed, omit `row`.
 * @throws Refusal row-not-allowed
 */
export function denyRow(table: Table, right: RowRight, row?: Row): never {
  const where = row === undefined ? {} : { rowId: row.id };
  const resource = { kind: 'table', id: table.id, operation: right, ...where } as const;
  throw new RowDenied(refusalOf('row-not-allowed', { right }), resource, table.accessRules[right] ?? null, row);
}

/**
 * If the field may be written in no row of the table, omit `row`.
 * @throws Refusal field-not-writable
 */
export function denyWriting(table: Table, field: Field, row?: Row): never {
  const where = row === undefined ? {} : { rowId: row.id };
  const resource = { kind: 'field', id: field.id, operation: 'write', tableId: table.id, ...where } as const;
  const refusal = refusalOf('field-not-writable', { field: field.name });
  throw new RowDenied(refusal, resource, field.accessRules.write ?? null, row);
}

/** @throws Refusal field-not-readable */
export function denyReading(table: Table, field: Field): never {
  const resource = { kind: 'field', id: field.id, operation: 'read', tableId: table.id } as const;
  const refusal = refusalOf('field-not-readable', { field: field.name });
  throw new RowDenied(refusal, resource, field.accessRules.read ?? null);
}

/** Adds a decision id to refusals of users and visitors. With this id, an explanation can be requested. */
@Injectable()
export class RowDenials {
  constructor(
    private readonly callers: RowCallers,
    private readonly decisions: RuleDecisions,
  ) {}

  async withDecisionIds<T>(who: RowCaller, table: Table, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof RowDenied && who.as === 'user' ? await this.withDecisionId(error, who, table) : error;
    }
  }

  private async withDecisionId(
    denied: RowDenied,
    who: Extract<RowCaller, { as: 'user' }>,
    table: Table,
  ): Promise<Refusal> {
    const { code, resource, condition } = denied;
    const { asking, policies } = who;
    const decisionId = this.decisions.idOf({
      workspaceId: table.workspaceId,
      projectId: table.projectId ?? '',
      code,
      resource,
      userId: asking.person?.id ?? null,
      condition,
      place: 'table',
      policies,
      verdict: await this.verdictOn(denied, who, table),
    });
    return denied.with({ decisionId });
  }

  private async verdictOn(
    { condition, row }: RowDenied,
    who: Extract<RowCaller, { as: 'user' }>,
    table: Table,
  ): Promise<Verdict> {
    const facts = { ...who.asking, place: 'table' } as const;
    const beforeRows = judgedTree(condition, facts, who.policies);
    if (beforeRows.kind === 'cannot be judged') return cannotBeJudged(beforeRows.problem);
    if (beforeRows.kind === 'no rules') return new Verdict('denied', () => []);
    const values = row === undefined ? noValues : await this.valuesOn(row, rowRulesIn(beforeRows.root), who, table);
    const judged = judgedTree(condition, facts, who.policies, (rule) => values.get(JSON.stringify(rule)));
    if (judged.kind !== 'tree') return new Verdict('denied', () => []);
    return new Verdict(
      judged.root.outcome,
      () => [],
      () => outcomesIn(judged.root),
    );
  }

  private async valuesOn(
    row: Row,
    rules: readonly Rule[],
    who: Extract<RowCaller, { as: 'user' }>,
    table: Table,
  ): Promise<ReadonlyMap<string, Value>> {
    const asked = rules.slice(0, mostRowRules);
    const scopes = await this.callers.scopesOf(
      who,
      table,
      asked.flatMap((rule) => [rule, { not: rule }]),
    );
    const values = asked.map((rule, index): readonly [string, Value] => {
      const [holds, holdsNot] = scopes.slice(2 * index, 2 * index + 2).map((scope) => isRowWithin(scope, row));
      return [JSON.stringify(rule), holds ? 'allowed' : holdsNot ? 'denied' : 'fault'];
    });
    return new Map(values);
  }
}

const noValues: ReadonlyMap<string, Value> = new Map();

function rowRulesIn(root: JudgedPart): readonly Rule[] {
  const found = new Map<string, Rule>();
  const visit = (part: JudgedPart): void => {
    if (part.kind === 'rule') {
      if (isRowRule(part.rule)) found.set(JSON.stringify(part.rule), part.rule);
      return;
    }
    for (const one of part.parts) visit(one);
  };
  visit(root);
  return [...found.values()];
}
