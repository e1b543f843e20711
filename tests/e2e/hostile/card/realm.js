// Runs in whatever realm it is loaded into, and calls out by WebRTC.

export async function callOut(udp) {
  const connection = new RTCPeerConnection({ iceServers: [{ urls: udp }] });
  connection.createDataChannel("out");
  await connection.setLocalDescription(await connection.createOffer());
  await new Promise((resolve) => setTimeout(resolve, 1200));
  return "called";
}

if (location.protocol === "about:") {
  top.postMessage({ realm: location.href, rtc: typeof RTCPeerConnection }, "*");
  await callOut(decodeURIComponent(new URL(import.meta.url).hash.slice(1)));
}
