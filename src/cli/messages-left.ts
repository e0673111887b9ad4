import { siteMailRequests } from '../areas/app-users/auth-mail/site-mail-requests.api.js';
import { runRequests } from '../areas/functions/run/run-requests.api.js';
import { publishRequests } from '../areas/sites/publication/publish-requests.api.js';
import { inboundRequests } from '../areas/triggers/mailhook/inbound-requests.api.js';
import type { Environment } from '../config/environment.js';

/** Topics of queued work, without the namespace prefix. */
export const workTopics = [
  runRequests,
  'flow-steps',
  'agent-steps',
  inboundRequests,
  siteMailRequests,
  publishRequests,
] as const;

/** After a restore or import, messages in Kafka may still belong to the log that was there before. */
export function adviceOnMessages({ messages }: Environment): readonly string[] {
  if (messages.kind !== 'kafka') return [];
  const { namespace } = messages;
  const topics = workTopics.map((topic) => `${namespace}.${topic}`).join(', ');
  return [
    `Kafka may still contain messages of the previous log: delete ${topics}, or set another KAFKA_NAMESPACE. ` +
      'The service publishes the queued work of this log again within minutes.',
    `Consumers of ${namespace}.events and ${namespace}.pending-changes must expect positions to restart; an imported log has another source.`,
  ];
}
