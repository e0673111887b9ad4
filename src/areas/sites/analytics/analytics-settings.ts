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
