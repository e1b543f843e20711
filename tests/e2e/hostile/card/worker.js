self.postMessage?.("ran");
