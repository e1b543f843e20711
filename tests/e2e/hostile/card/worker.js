postMessage("ran");
