import { Logger } from '@nestjs/common';
import { type ISocketFactory, Kafka, type LogEntry, logLevel } from 'kafkajs';
import { readKafkaAddress } from './kafka-address.js';

export interface KafkaClientOptions {
  /** See `readKafkaAddress`. */
  readonly brokers: string;
  /** How this process is called in the brokers' logs. Default: countersign. */
  readonly clientId?: string;
  /** How sockets are opened; default: net and tls. */
  readonly socketFactory?: ISocketFactory;
}

/** Attempts within one call. Who waits longer begins anew, so that no retry outlives what it was made for. */
export const attempts = { retries: 4, initialRetryTime: 200, maxRetryTime: 2_000, factor: 0.2, multiplier: 2 };

/** @throws Error one sentence when the address is not one */
export function kafkaClient(options: KafkaClientOptions): Kafka {
  return new Kafka({
    ...readKafkaAddress(options.brokers),
    clientId: options.clientId ?? 'countersign',
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 8_000,
    enforceRequestTimeout: true,
    retry: attempts,
    logCreator: () => say,
    ...(options.socketFactory === undefined ? {} : { socketFactory: options.socketFactory }),
  });
}

const log = new Logger('Kafka');

/** The client logs every attempt; what operators need to know is logged once, by its users. */
function say({ level, namespace, log: entry }: LogEntry): void {
  if (level <= logLevel.WARN) log.debug(`${namespace}: ${entry.message}`);
  else log.verbose(`${namespace}: ${entry.message}`);
}
