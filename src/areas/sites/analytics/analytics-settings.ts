import { differing } from '../../../kernel/record/differing.js';
import type { Project, ProjectEvent } from '../project/project.record.js';
import { type AnalyticsSettings, analyticsOf } from './analytics-settings.record.js';

type Update = Pick<AnalyticsSettings, 'primaryAnalyticsId' | 'secondaryAnalyticsId'> & Partial<AnalyticsSettings>;

/** If `consentBanner` is omitted, it stays as it is (Q-S99). */
export function updateAnalytics(project: Project, sent: Update): readonly ProjectEvent[] {
  const data = analyticsOf({ ...sent, consentBanner: sent.consentBanner ?? project.consentBanner });
  // The event contains both ids even if only one changed, because an undo of the event sends both ids.
  return differing<AnalyticsSettings>(project, data) === undefined ? [] : [{ type: 'ProjectAnalyticsUpdated', data }];
}
