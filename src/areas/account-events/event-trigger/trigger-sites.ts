import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { showing } from '../../../engine/scopes/record-scopes.js';
import { isConfined, Scopes } from '../../../engine/scopes/scopes.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { tables } from '../../bases/table/table.record.js';
import { refuse } from '../account-events.refusals.js';
import { type AwaitedTerms, type NamedSite, siteEventsOf, unnamedSites } from './site-events.js';

type Judge = (terms: AwaitedTerms) => void;

/**
 * A trigger passes what happens in a site to its target. So a trigger that an agent or running code sets up must name
 * the sites, and the caller must be allowed to read there what the events are about. The check is made when the trigger
 * is set up, not at every start.
 */
@Injectable()
export class TriggerSites {
  constructor(
    private readonly scopes: Scopes,
    private readonly runner: CommandRunner,
  ) {}

  /** @throws Refusal invalid-input, if the filters name no site; otherwise the refusal to read something of the site */
  async require(call: OperationContext, terms: AwaitedTerms): Promise<void> {
    const judge = await this.judge(call, terms);
    judge(terms);
  }

  /**
   * The sites are looked up before a change is decided. The returned function throws like `require`, or
   * too-much-contention if the trigger has got other terms since.
   */
  async judge(call: OperationContext, expected: AwaitedTerms): Promise<Judge> {
    if (!isConfined(call)) return () => undefined;
    const refusals = new Map<string, Refusal | undefined>();
    for (const one of siteEventsOf(expected).named) refusals.set(keyOf(one), await this.refusalOf(call, one));
    return (terms) => {
      const { named, unnamed } = siteEventsOf(terms);
      if (unnamed.length > 0) refuseInput([{ path: 'filters', message: unnamedSites(unnamed) }]);
      for (const key of named.map(keyOf)) {
        if (!refusals.has(key)) refuse('too-much-contention');
        const refusal = refusals.get(key);
        if (refusal !== undefined) throw refusal;
      }
    };
  }

  private async refusalOf(call: OperationContext, named: NamedSite): Promise<Refusal | undefined> {
    try {
      await this.admit(call, named);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  private async admit(call: OperationContext, { kind, by, value }: NamedSite): Promise<void> {
    const reading = showing(call, kind);
    if (by !== 'tableId') return this.scopes.require('project', reading, value);
    const table = (await this.runner.find(tables, call.workspaceId, value)) ?? tables.missing();
    return this.scopes.admit(reading, tables, table);
  }
}

const keyOf = ({ kind, by, value }: NamedSite) => JSON.stringify([kind, by, value]);
