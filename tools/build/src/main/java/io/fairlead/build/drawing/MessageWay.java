package io.fairlead.build.drawing;

import java.util.List;

/** The way of one message of 8 bytes over shared memory, in the calls that a reader of the code meets, in the order of time. */
final class MessageWay {
    /** Where code belongs, from the application down to the memory that both processes share. */
    enum Layer {
        API("API", "io.fairlead", 1),
        ENGINE("engine", "io.fairlead.internal", 3),
        SPI("SPI", "io.fairlead.spi", 1),
        TRANSPORT("transport", "io.fairlead.transport.shm", 5),
        MEMORY("memory", "io.fairlead.transport.shm", 1);

        final String title;
        final String packageName;
        final int rows;

        Layer(String title, String packageName, int rows) {
            this.title = title;
            this.packageName = packageName;
            this.rows = rows;
        }
    }

    /** What one call of the application, or one arrival, sets going. */
    enum Lane {
        SEND("sender: send"),
        SENT("sender: completion"),
        SENDER_TURN("sender: progress"),
        RECEIVER_TURN("receiver: progress"),
        MATCH("receiver: receive"),
        RECEIVED("receiver: completion");

        final String title;

        Lane(String title) {
            this.title = title;
        }
    }

    /** A call: in a lane, in a row of a layer, by the method of a class, with what it does in a few words. */
    record Step(String id, Lane lane, Layer layer, int row, String type, String method, String note) {
        String className() {
            return layer.packageName + "." + type;
        }

        /** Without the package of the layer that it is in. */
        String simpleName() {
            return type.substring(type.lastIndexOf('.') + 1);
        }
    }

    /** One step leads to another. */
    record Lead(String from, String to) {}

    private static final Lane SEND = Lane.SEND;
    private static final Lane SENT = Lane.SENT;
    private static final Lane OUT = Lane.SENDER_TURN;
    private static final Lane IN = Lane.RECEIVER_TURN;
    private static final Lane MATCH = Lane.MATCH;
    private static final Lane RECEIVED = Lane.RECEIVED;
    private static final Layer API = Layer.API;
    private static final Layer ENGINE = Layer.ENGINE;
    private static final Layer SPI = Layer.SPI;
    private static final Layer TRANSPORT = Layer.TRANSPORT;
    private static final Layer MEMORY = Layer.MEMORY;

    private MessageWay() {}

    static List<Step> steps() {
        return List.of(
                new Step("receive", MATCH, API, 0, "Worker", "receive", "buffer, tag, mask"),
                new Step("post", MATCH, ENGINE, 0, "engine.ReceiveMatching", "post", "checks; no message yet"),
                new Step("wait", MATCH, ENGINE, 1, "matching.PostedReceiveQueue", "post", "in order of posting"),
                new Step("send", SEND, API, 0, "Endpoint", "send", "on the worker's thread"),
                new Step("check", SEND, ENGINE, 0, "engine.PostingEndpoint", "send", "checks the arguments"),
                new Step("pay", SEND, ENGINE, 1, "engine.Credits", "tryPay", "for room at the peer"),
                new Step("hand", SEND, SPI, 0, "DirectEndpoint", "trySend", "done at once, or not"),
                new Step("out", SEND, TRANSPORT, 0, "ShmEndpoint", "trySend", "on the worker's thread"),
                new Step("outbox", SEND, TRANSPORT, 1, "RingOutbox", "trySend", "at once, if none waits"),
                new Step("claim", SEND, TRANSPORT, 2, "RingWriter", "tryClaim", "room in its ring"),
                new Step("put", SEND, TRANSPORT, 3, "RingWriter", "put", "copies the payload"),
                new Step("show", SEND, TRANSPORT, 4, "RingWriter", "publish", "length, tag, kind"),
                new Step("written", SEND, MEMORY, 0, "Ring", "publish", "one release store"),
                new Step("copied", SENT, ENGINE, 1, "engine.OperationPool", "next", "nothing is allocated"),
                new Step("ended", SENT, ENGINE, 2, "engine.CompletionQueue", "add", "in order of ending"),
                new Step("turn", OUT, API, 0, "Worker", "progress", "on the worker's thread"),
                new Step("run", OUT, ENGINE, 0, "engine.CoreWorker", "progress", "each transport in turn"),
                new Step("drive", OUT, SPI, 0, "TransportWorker", "progress", "if it has endpoints"),
                new Step("own", OUT, TRANSPORT, 0, "ShmWorker", "progress", "all endpoints' rings"),
                new Step("rest", OUT, TRANSPORT, 1, "RingSchedule", "progress", "after a message, looks"),
                new Step("wake", OUT, TRANSPORT, 2, "PeerRing", "wake", "wakes who rests"),
                new Step("rests", OUT, MEMORY, 0, "Ring", "isResting", "the peer's mark"),
                new Step("tell", SENT, ENGINE, 0, "engine.CompletionDelivery", "drain", "this turn or the next"),
                new Step("sent", SENT, API, 0, "Completion", "completed", "the application's code"),
                new Step("poll", IN, API, 0, "Worker", "progress", "on the worker's thread"),
                new Step("turns", IN, ENGINE, 0, "engine.CoreWorker", "progress", "each transport in turn"),
                new Step("look", IN, SPI, 0, "TransportWorker", "progress", "if it has endpoints"),
                new Step("ready", IN, TRANSPORT, 0, "ShmWorker", "progress", "all endpoints' rings"),
                new Step("busy", IN, TRANSPORT, 1, "RingSchedule", "progress", "busy ones first"),
                new Step("inbox", IN, TRANSPORT, 2, "RingInbox", "read", "record by record"),
                new Step("next", IN, TRANSPORT, 3, "RingReader", "tryNext", "read once, checked"),
                new Step("in", IN, MEMORY, 0, "Ring", "published", "one acquire load"),
                new Step("message", MATCH, TRANSPORT, 3, "EagerArrivals", "tryTakeMessage", "asks, then copies"),
                new Step("arrived", MATCH, SPI, 0, "EndpointHost", "match", "tag and length"),
                new Step("match", MATCH, ENGINE, 2, "matching.PostedReceiveQueue", "match", "the oldest that fits"),
                new Step("filled", RECEIVED, SPI, 0, "Operation", "complete", "the message is there"),
                new Step("add", RECEIVED, ENGINE, 2, "engine.CompletionQueue", "add", "in order of ending"),
                new Step("queue", RECEIVED, ENGINE, 0, "engine.CompletionDelivery", "drain", "later in that turn"),
                new Step("received", RECEIVED, API, 0, "Completion", "completed", "source, tag, length"));
    }

    static List<Lead> leads() {
        return List.of(
                new Lead("receive", "post"),
                new Lead("post", "wait"),
                new Lead("wait", "match"),
                new Lead("send", "check"),
                new Lead("check", "pay"),
                new Lead("pay", "hand"),
                new Lead("hand", "out"),
                new Lead("out", "outbox"),
                new Lead("outbox", "claim"),
                new Lead("claim", "put"),
                new Lead("put", "show"),
                new Lead("show", "written"),
                new Lead("pay", "copied"),
                new Lead("copied", "ended"),
                new Lead("ended", "tell"),
                new Lead("tell", "sent"),
                new Lead("turn", "run"),
                new Lead("run", "drive"),
                new Lead("drive", "own"),
                new Lead("own", "rest"),
                new Lead("rest", "wake"),
                new Lead("wake", "rests"),
                new Lead("written", "in"),
                new Lead("poll", "turns"),
                new Lead("turns", "look"),
                new Lead("look", "ready"),
                new Lead("ready", "busy"),
                new Lead("busy", "inbox"),
                new Lead("inbox", "next"),
                new Lead("in", "next"),
                new Lead("next", "message"),
                new Lead("message", "arrived"),
                new Lead("arrived", "match"),
                new Lead("message", "filled"),
                new Lead("filled", "add"),
                new Lead("add", "queue"),
                new Lead("queue", "received"));
    }
}
