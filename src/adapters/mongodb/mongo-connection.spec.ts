import { MongoClients } from './mongo-clients.js';
import { MongoConnection } from './mongo-connection.js';

const opened: MongoConnection[] = [];
const of = (options: string) => {
  const connection = new MongoConnection({ url: `mongodb://127.0.0.1:1/x?replicaSet=rs0&${options}` });
  opened.push(connection);
  return connection;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

describe('a connection to MongoDB', () => {
  it.each([
    'readConcernLevel=local',
    'readConcernLevel=available',
    'journal=false',
    'w=1&wtimeoutMS=1',
    'readPreference=secondary',
    'retryWrites=false&retryReads=false',
  ])('keeps its required settings, even if its URL says %s', (options) => {
    const { database } = of(options);
    const collection = database.collection('things');
    for (const { readConcern, writeConcern, readPreference } of [database, collection]) {
      expect([readConcern?.level, readPreference?.mode]).toEqual(['majority', 'primary']);
      expect([writeConcern?.w, writeConcern?.journal]).toEqual(['majority', undefined]);
    }
    expect([database.client.options.retryWrites, database.client.options.retryReads]).toEqual([true, true]);
  });

  it('shares the client of its URL, which is closed by its last user', async () => {
    const clients = new MongoClients();
    const url = 'mongodb://127.0.0.1:1/x?replicaSet=rs0';
    const [one, other] = [new MongoConnection({ url, clients }), new MongoConnection({ url, clients, database: 'y' })];
    const { client } = one.database;
    expect([other.database.client, other.database.databaseName]).toEqual([client, 'y']);
    expect(new MongoConnection({ url: `${url}&tls=true`, clients }).database.client).not.toBe(client);
    let closes = 0;
    client.close = async () => {
      closes += 1;
    };
    await one.close();
    await one.close();
    expect([one.closed, other.closed, closes]).toEqual([true, false, 0]);
    await other.close();
    expect(closes).toBe(1);
    expect(new MongoConnection({ url, clients }).database.client).not.toBe(client);
  });

  it.each([
    ['', 100],
    ['&maxPoolSize=7', 7],
  ])('opens the number of connections in its URL (%p): %d', (option, most) => {
    expect(of(`x=${option}`.replace('x=', 'appName=x')).database.client.options.maxPoolSize).toBe(most);
  });

  it('refuses to read one server directly, because it may be a secondary', () => {
    expect(() => of('directConnection=true')).toThrow('MONGODB_URL sets directConnection');
  });
});
