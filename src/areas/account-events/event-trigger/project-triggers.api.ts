import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import { Targets } from '../../../engine/targets.js';
import type { Where } from '../../../kernel/projection.js';
import { Refusal } from '../../../kernel/refusal.js';
import { sourceOf } from '../account-event/account-event.record.js';
import { builtinNames } from '../builtin/builtin.api.js';
import { allMatch, compile } from './event-filter.js';
import { type EventTrigger, targetKindFor } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.api.js';
import { TriggerView } from './trigger-view.js';

/** The sources whose events are about one project each. */
const projectSources: readonly string[] = ['base', 'site'];
const namesOfProjects = [...builtinNames].filter((name) => projectSources.includes(sourceOf(name)));
const patterns = ['*', ...projectSources.map((source) => `${source}.*`), ...namesOfProjects];

/** The filters that say of which project's events a trigger is. Any other may match or not, event by event. */
const telling: readonly string[] = ['name', 'source', 'projectId'];

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
    const [listening, starting] = await Promise.all([
      find({ event: { in: patterns } }),
      find({ targetKind: 'site_function' }),
    ]);
    const own = await Promise.all(
      starting.map(async (trigger) => ((await this.projectOf(trigger)) === projectId ? [trigger] : [])),
    );
    const found = [...listening.filter((trigger) => canFireFor(projectId, trigger)), ...own.flat()];
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

/** Whether there is an event that the trigger waits for and whose project this can be. */
function canFireFor(projectId: string, { event, filters }: EventTrigger): boolean {
  const compiled = filters.filter(({ field }) => telling.includes(field)).map(compile);
  return namesOfProjects
    .filter((name) => event === '*' || event === name || event === `${sourceOf(name)}.*`)
    .some((name) => allMatch(compiled, { name, origin: '', subject: {}, properties: { projectId } }));
}

function oldestFirst(a: EventTrigger, b: EventTrigger): number {
  const [one, other] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`];
  return one < other ? -1 : 1;
}
