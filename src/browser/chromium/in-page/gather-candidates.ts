/**
 * Runs in a page: WebRTC of a frame requests its address from these servers. Resolves once all candidates
 * were tried.
 */
export async function gatherCandidates({
  urls,
  time,
}: {
  readonly urls: string[];
  /** Time limit in milliseconds. */
  readonly time: number;
}): Promise<void> {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const { RTCPeerConnection: Connection } = frame.contentWindow as unknown as {
    readonly RTCPeerConnection?: typeof RTCPeerConnection;
  };
  if (Connection === undefined) return;
  const connection = new Connection({ iceServers: [{ urls }] });
  const isGathered = new Promise<void>((resolve) => {
    connection.onicegatheringstatechange = () => {
      if (connection.iceGatheringState === 'complete') resolve();
    };
  });
  connection.createDataChannel('channel');
  await connection.setLocalDescription(await connection.createOffer());
  await Promise.race([isGathered, new Promise((resolve) => setTimeout(resolve, time))]);
  connection.close();
}
