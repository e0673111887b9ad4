import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Where } from '../../../kernel/record/projection.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { tables as tableKind } from '../../bases/table/table.record.js';
import { sourceOf } from '../account-event/account-event.record.js';
import { builtinNames } from '../builtin/builtin.api.js';
import { allMatch, compile, type Matchable } from './event-filter.js';
import { type EventTrigger, targetKindFor } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.js';
import { TriggerView } from './trigger-view.js';

/** The sources whose events are about one project each. */
const projectSources: readonly string[] = ['base', 'site'];
const namesOfProjects = [...builtinNames].filter((name) => projectSources.includes(sourceOf(name)));
const patterns = ['*', ...projectSources.map((source) => `${source}.*`), ...namesOfProjects];

/** The filters that say of which project's events a trigger is. Any other may match or not, event by event. */
const telling: readonly string[] = ['name', 'source', 'projectId', 'tableId'];

/** Finds the event triggers that concern a project. */
@Injectable()
export class ProjectTriggers {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly view: TriggerView,
  ) {}

  /** Those that can fire for an event of the project, and those that start something of it, oldest first. */
  async of(workspaceId: string, projectId: string): Promise<readonly TriggerRecord[]> {
    const find = (where: Where) => this.reads.find<EventTrigger>(workspaceId, 'eventTriggers', { where });
    const [listening, starting, tables] = await Promise.all([
      find({ event: { in: patterns } }),
      find({ targetKind: 'site_function' }),
      this.reads.find(workspaceId, tableKind.collection.name, { where: { projectId } }),
    ]);
    const told = toldOf(
      projectId,
      tables.map(({ id }) => id),
    );
    const own = await Promise.all(
      starting.map(async (trigger) => ((await this.projectOf(trigger)) === projectId ? [trigger] : [])),
    );
    const found = [...listening.filter((trigger) => canFireFor(told, trigger)), ...own.flat()];
    const triggers = [...new Map(found.map((trigger) => [trigger.id, trigger])).values()].sort(oldestFirst);
    return triggers.length === 0 ? [] : this.view.all(workspaceId, triggers);
  }

  private async projectOf({ workspaceId, targetKind, targetRef }: EventTrigger): Promise<string | undefined> {
    try {
      return (await this.targets.find(workspaceId, { kind: targetKindFor(targetKind), ref: targetRef }))?.projectId;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'target-kind-unavailable') return undefined;
      throw error;
    }
  }
}

/** What the events of a project tell of it: those of a base of which table they are, the others of which project. */
function toldOf(projectId: string, tableIds: readonly string[]): readonly Matchable[] {
  const told = (name: string, properties: JsonObject) => ({ name, origin: '', subject: {}, properties });
  return namesOfProjects.flatMap((name) => {
    if (sourceOf(name) !== 'base') return [told(name, { projectId })];
    // A table may be made later.
    return tableIds.length === 0 ? [told(name, {})] : tableIds.map((tableId) => told(name, { tableId }));
  });
}

/** Whether one of these is an event that the trigger waits for. */
function canFireFor(told: readonly Matchable[], { event, filters }: EventTrigger): boolean {
  const compiled = filters.filter(({ field }) => telling.includes(field)).map(compile);
  const waitsFor = (name: string) => event === '*' || event === name || event === `${sourceOf(name)}.*`;
  return told.some((one) => waitsFor(one.name) && allMatch(compiled, one));
}

function oldestFirst(a: EventTrigger, b: EventTrigger): number {
  const [one, other] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`];
  return one < other ? -1 : 1;
}
