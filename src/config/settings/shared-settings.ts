import type { Environment } from '../environment.js';

/**
 * Returns the settings that must be the same in all processes that share stores. They must contain no secrets, because
 * other processes see the values.
 */
export function sharedSettings(environment: Environment): Readonly<Record<string, string>> {
  const { eventStore, messages, mailIn } = environment;
  return {
    EVENTSTOREDB_NAMESPACE: eventStore.kind === 'embedded' ? '' : (eventStore.namespace ?? ''),
    MESSAGES: messages.kind,
    KAFKA_NAMESPACE: messages.kind === 'kafka' ? messages.namespace : '',
    BASE_URL: environment.baseUrl,
    APP_DOMAIN: environment.appDomain,
    MAILHOOK_DOMAIN: mailIn.domain,
    RUN_RETENTION_DAYS: String(environment.runRetentionDays),
    EVENT_FAN_OUT_LIMIT: String(environment.eventFanOutLimit),
    LEASE_SILENCE_MS: String(environment.leaseSilenceMs),
  };
}
