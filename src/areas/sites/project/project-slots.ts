import type { Plan } from '../../workspace/workspace/workspace.record.js';
import { refuse } from '../sites.refusals.js';
import { projectLimits, projectsOf } from './project-limits.api.js';
import type { ProjectSlots, ProjectSlotsEvent } from './project-slots.record.js';

export interface ProjectSlotRequest {
  readonly projectId: string;
  readonly isApp: boolean;
  readonly plan: Plan;
  readonly unused: readonly string[];
  readonly upgradeUrl: string;
}

export function takeSlot(slots: ProjectSlots | undefined, request: ProjectSlotRequest): readonly ProjectSlotsEvent[] {
  const { projectId, isApp, plan, unused, upgradeUrl } = request;
  if (slots?.taken[projectId] !== undefined) return [];
  const given = unused.filter((id) => slots?.taken[id] !== undefined);
  const counting = Object.entries(slots?.taken ?? {}).filter(
    ([id, slot]) => slot.isApp === isApp && !given.includes(id),
  );
  const kind = isApp ? 'apps' : 'sites';
  if (counting.length >= projectLimits[plan][kind]) {
    refuse('plan-limit', { plan, what: projectsOf(plan, kind), upgradeUrl }, { upgradeUrl });
  }
  return [
    ...(slots === undefined ? [{ type: 'ProjectSlotsOpened', data: {} } as const] : []),
    ...(given.length === 0 ? [] : [{ type: 'ProjectSlotsGivenBack', data: { projectIds: given } } as const]),
    { type: 'ProjectSlotTaken', data: { projectId, isApp } },
  ];
}

export function giveSlotBack(slots: ProjectSlots | undefined, projectId: string): readonly ProjectSlotsEvent[] {
  return slots?.taken[projectId] === undefined
    ? []
    : [{ type: 'ProjectSlotsGivenBack', data: { projectIds: [projectId] } }];
}
