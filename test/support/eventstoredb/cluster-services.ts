import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { handleUnaryCall, Server } from '@grpc/grpc-js';

/** Adds the gossip service. It reports a cluster that has a leader and no other members. */
export function addClusterServices(
  server: Server,
  leader: () => { readonly host: string; readonly port: number },
): void {
  const read: handleUnaryCall<unknown, gossip.ClusterInfo> = (_call, callback) => {
    const { host, port } = leader();
    const endpoint = new gossip.EndPoint();
    endpoint.setAddress(host);
    endpoint.setPort(port);
    const member = new gossip.MemberInfo();
    member.setIsAlive(true);
    member.setState(gossip.MemberInfo.VNodeState.LEADER);
    member.setHttpEndPoint(endpoint);
    const cluster = new gossip.ClusterInfo();
    cluster.addMembers(member);
    callback(null, cluster);
  };
  const getSupportedMethods: handleUnaryCall<unknown, features.SupportedMethods> = (_call, callback) => {
    const supported = new features.SupportedMethods();
    supported.setEventStoreServerVersion('24.10.0');
    callback(null, supported);
  };
  server.addService(GossipService, { read });
  server.addService(ServerFeaturesService, { getSupportedMethods });
}
