/**
 * The client generates these messages but does not publish them, so only this file imports them, and the client's
 * version is pinned.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export type { AppendReq, AppendResp, BatchAppendReq, BatchAppendResp, ReadReq, ReadResp, Status };
export { StreamsClient, shared, streams };
