import { differing } from '../../../kernel/record/differing.js';
import type { Project, ProjectEvent } from '../project/project.record.js';
import { type AnalyticsSettings, analyticsOf } from './analytics-settings.record.js';

type Update = Pick<AnalyticsSettings, 'primaryAnalyticsId' | 'secondaryAnalyticsId'> & Partial<AnalyticsSettings>;

/** Sets both ids to the values sent. If omitted, the banner setting is unchanged (Q-S99). */
export function updateAnalytics(project: Project, sent: Update): readonly ProjectEvent[] {
  const data = analyticsOf({ ...sent, consentBanner: sent.consentBanner ?? project.consentBanner });
  // The event has both ids, so that undoing a change can send both.
  return differing<AnalyticsSettings>(project, data) === undefined ? [] : [{ type: 'ProjectAnalyticsUpdated', data }];
}
