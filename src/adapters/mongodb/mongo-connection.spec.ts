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
  ])('keeps what the service leans on, though its URL says %s', (options) => {
    const { database } = of(options);
    const collection = database.collection('things');
    for (const { readConcern, writeConcern, readPreference } of [database, collection]) {
      expect([readConcern?.level, readPreference?.mode]).toEqual(['majority', 'primary']);
      expect([writeConcern?.w, writeConcern?.journal]).toEqual(['majority', undefined]);
    }
    expect([database.client.options.retryWrites, database.client.options.retryReads]).toEqual([true, true]);
  });

  it('refuses to read one server directly, which may be a secondary', () => {
    expect(() => of('directConnection=true')).toThrow('MONGODB_URL asks for directConnection');
  });
});
