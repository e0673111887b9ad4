import { Logger } from '@nestjs/common';
import { type ISocketFactory, Kafka, type LogEntry, logLevel } from 'kafkajs';
import { requestOnlyBrokers } from './broker-metadata.js';
import { quietIdleConnections } from './idle-kafkajs.js';
import { readKafkaAddress } from './kafka-address.js';
import { waitForWholeBatches } from './sending/batch-acknowledgement.js';

export interface KafkaClientOptions {
  readonly brokers: string;
  readonly clientId?: string;
  readonly socketFactory?: ISocketFactory;
}

/** Few, so that kafkajs does not go on retrying for a caller that has given up. */
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

/** kafkajs reports every attempt, so its messages are logged at debug level or below. */
function logEntry({ level, namespace, log: entry }: LogEntry): void {
  if (level <= logLevel.WARN) log.debug(`${namespace}: ${entry.message}`);
  else log.verbose(`${namespace}: ${entry.message}`);
}
