import type { Blobs } from '../../ports/blobs.port.js';
import type { Broadcast } from '../../ports/broadcast.port.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Leases } from '../../ports/leases.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Texts } from '../../ports/texts.port.js';
import type { Vault } from '../../ports/vault.port.js';
import { MongoBlobs } from '../blobs/mongodb/mongo-blobs.adapter.js';
import { MongoBroadcast } from '../broadcast/mongodb/mongo-broadcast.adapter.js';
import { MongoLeases } from '../leases/mongodb/mongo-leases.adapter.js';
import { MongoReadStore } from '../read-store/mongodb/mongo-read-store.adapter.js';
import { MongoTexts } from '../texts/mongodb/mongo-texts.adapter.js';
import { MongoVault } from '../vault/mongodb/mongo-vault.adapter.js';
import { MongoClients } from './mongo-clients.js';
import type { MongoOptions } from './mongo-connection.js';

export class MongoStores {
  private readonly options: MongoOptions;

  constructor(options: Omit<MongoOptions, 'clients'>) {
    this.options = { ...options, clients: new MongoClients() };
  }

  readStore(): ReadStore {
    return new MongoReadStore(this.options);
  }

  texts(): Texts {
    return new MongoTexts(this.options);
  }

  vault(masterKey: Buffer, clock: Clock): Promise<Vault> {
    return MongoVault.open({ ...this.options, masterKey, clock });
  }

  blobs(masterKey: Buffer, clock: Clock): Blobs {
    return new MongoBlobs({ ...this.options, masterKey, clock });
  }

  broadcast(): Broadcast {
    return new MongoBroadcast(this.options);
  }

  leases(silenceMs: number, clock: Clock): Leases {
    return new MongoLeases({ ...this.options, silenceMs, clock });
  }
}
