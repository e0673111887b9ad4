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
import { patternsOf } from './event-pattern.js';
import { type EventTrigger, targetKindFor } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.js';
import { TriggerView } from './trigger-view.js';

const projectSources: readonly string[] = ['base', 'site'];
const namesOfProjects = [...builtinNames].filter((name) => projectSources.includes(sourceOf(name)));
const patterns = ['*', ...projectSources.map((source) => `${source}.*`), ...namesOfProjects];

/**
 * Fields whose filters show whether a trigger can match events of a project. Filters on other fields are ignored,
 * because a trigger with such a filter can still match some events of the project.
 */
const identifying: readonly string[] = ['name', 'source', 'projectId', 'tableId'];

@Injectable()
export class ProjectTriggers {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
    private readonly view: TriggerView,
  ) {}

  /**
   * Returns the triggers that events of the project can fire, and those whose target belongs to the project. Oldest
   * first.
   */
  async of(workspaceId: string, projectId: string): Promise<readonly TriggerRecord[]> {
    const find = (where: Where) => this.reads.find<EventTrigger>(workspaceId, 'eventTriggers', { where });
    const [listening, starting, tables] = await Promise.all([
      find({ event: { in: patterns } }),
      find({ targetKind: 'site_function' }),
      this.reads.find(workspaceId, tableKind.collection.name, { where: { projectId } }),
    ]);
    const events = possibleEventsOf(
      projectId,
      tables.map(({ id }) => id),
    );
    const own = await Promise.all(
      starting.map(async (trigger) => ((await this.projectOf(trigger)) === projectId ? [trigger] : [])),
    );
    const found = [...listening.filter((trigger) => canFireFor(events, trigger)), ...own.flat()];
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

/** Events with the source `base` identify the project by a table. All other events contain the project's id. */
function possibleEventsOf(projectId: string, tableIds: readonly string[]): readonly Matchable[] {
  const eventNamed = (name: string, properties: JsonObject) => ({ name, origin: '', subject: {}, properties });
  return namesOfProjects.flatMap((name) => {
    if (sourceOf(name) !== 'base') return [eventNamed(name, { projectId })];
    // A project without tables can get one later, so triggers for any table are included.
    return tableIds.length === 0 ? [eventNamed(name, {})] : tableIds.map((tableId) => eventNamed(name, { tableId }));
  });
}

function canFireFor(events: readonly Matchable[], { event, filters }: EventTrigger): boolean {
  const compiled = filters.filter(({ field }) => identifying.includes(field)).map(compile);
  return events.some((one) => patternsOf(one.name).includes(event) && allMatch(compiled, one));
}

function oldestFirst(a: EventTrigger, b: EventTrigger): number {
  const [one, other] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`];
  return one < other ? -1 : 1;
}
