import { refuse } from '../../../kernel/refusal.js';
import type { Plan } from '../../workspace/workspace/workspace.record.js';
import type { ProjectSlots, ProjectSlotsEvent } from './project-slots.record.js';

/** Sites and workspace apps that a workspace may have (sites: settled question Q-S04). */
export const projectLimits: Readonly<Record<Plan, { readonly sites: number; readonly apps: number }>> = {
  free: { sites: 3, apps: 1 },
  starter: { sites: 20, apps: 5 },
  pro: { sites: 500, apps: 50 },
};

export interface SlotWanted {
  readonly projectId: string;
  readonly isApp: boolean;
  readonly plan: Plan;
  /** Slots of projects that were never created or are gone. */
  readonly unused: readonly string[];
  /** Where the plan can be changed. */
  readonly upgradeUrl: string;
}

/** @throws Refusal plan-limit */
export function takeSlot(slots: ProjectSlots | undefined, wanted: SlotWanted): readonly ProjectSlotsEvent[] {
  const { projectId, isApp, plan, unused, upgradeUrl } = wanted;
  if (slots?.taken[projectId] !== undefined) return [];
  const given = unused.filter((id) => slots?.taken[id] !== undefined);
  const counting = Object.entries(slots?.taken ?? {}).filter(
    ([id, slot]) => slot.isApp === isApp && !given.includes(id),
  );
  const limit = projectLimits[plan][isApp ? 'apps' : 'sites'];
  const what = `${limit} ${isApp ? 'workspace app' : 'site'}${limit === 1 ? '' : 's'}`;
  if (counting.length >= limit) refuse('plan-limit', { plan, what, upgradeUrl }, { upgradeUrl });
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
