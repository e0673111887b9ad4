import { Logger } from '@nestjs/common';
import { type ISocketFactory, Kafka, type LogEntry, logLevel } from 'kafkajs';
import { requestOnlyBrokers } from './broker-metadata.js';
import { quietIdleConnections } from './idle-kafkajs.js';
import { readKafkaAddress } from './kafka-address.js';
import { waitForWholeBatches } from './sending/batch-acknowledgement.js';

export interface KafkaClientOptions {
  /** Addresses as described at `readKafkaAddress`. */
  readonly brokers: string;
  /** This process's name in the brokers' logs. Default: countersign. */
  readonly clientId?: string;
  /** Opens sockets. Default: net and tls. */
  readonly socketFactory?: ISocketFactory;
}

/** Attempts within one call. Callers that wait longer start a new call, so that no retry outlives its purpose. */
export const attempts = { retries: 4, initialRetryTime: 200, maxRetryTime: 2_000, factor: 0.2, multiplier: 2 };

/** @throws Error with one sentence if the address is invalid */
export function kafkaClient(options: KafkaClientOptions): Kafka {
  quietIdleConnections();
  requestOnlyBrokers();
  waitForWholeBatches();
  return new Kafka({
    ...readKafkaAddress(options.brokers),
    clientId: options.clientId ?? 'countersign',
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 8_000,
    enforceRequestTimeout: true,
    retry: attempts,
    logCreator: () => logEntry,
    ...(options.socketFactory === undefined ? {} : { socketFactory: options.socketFactory }),
  });
}

const log = new Logger('Kafka');

/** The client logs every attempt at debug level. What operators need is logged once, by the client's users. */
function logEntry({ level, namespace, log: entry }: LogEntry): void {
  if (level <= logLevel.WARN) log.debug(`${namespace}: ${entry.message}`);
  else log.verbose(`${namespace}: ${entry.message}`);
}
