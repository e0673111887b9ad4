import { differing } from '../../../kernel/record/differing.js';
import type { Project, ProjectEvent } from '../project/project.record.js';
import { type AnalyticsSettings, analyticsOf } from './analytics-settings.record.js';

type Update = Pick<AnalyticsSettings, 'primaryAnalyticsId' | 'secondaryAnalyticsId'> & Partial<AnalyticsSettings>;

/** Both ids are what is sent; the banner stays when it is left out (settled question Q-S99). */
export function updateAnalytics(project: Project, sent: Update): readonly ProjectEvent[] {
  const data = analyticsOf({ ...sent, consentBanner: sent.consentBanner ?? project.consentBanner });
  // Complete, so that undoing a change has both ids to send.
  return differing<AnalyticsSettings>(project, data) === undefined ? [] : [{ type: 'ProjectAnalyticsUpdated', data }];
}

const idForm = (pattern: RegExp, must: string) => ({
  pattern,
  /** Why it cannot be the id; undefined: it can, or it clears the id. */
  of: (value: unknown) =>
    value === null || (typeof value === 'string' && pattern.test(value)) ? undefined : `must be ${must}, or null`,
});

/** Lower case is refused and not converted (settled question Q-S100). */
export const wrongId = {
  primary: idForm(/^G-[A-Z0-9]{10}$/, 'G, a hyphen and ten upper-case letters or digits, such as G-AB12CD34EF'),
  secondary: idForm(/^[A-Za-z0-9]{5,20}$/, '5 to 20 letters and digits, such as abc12def34'),
} as const;
