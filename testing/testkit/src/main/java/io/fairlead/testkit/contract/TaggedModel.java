package io.fairlead.testkit.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * The rules of matching, for any number of senders: what was sent and posted, which receive matched which message, and whether that is
 * allowed.
 *
 * <p>A receive prefers an earlier message of the same sender, and a message prefers an earlier receive. A correct engine tries receives in
 * the order of their posts and messages in the order of their arrival. It ends without a pair in which both prefer each other, whatever the
 * order of posts and arrivals. For one sender there is only one such end. Messages of different senders are not compared, because their order
 * of arrival is unknown.
 */
final class TaggedModel {
    /** No partner. */
    static final int NONE = -1;

    /** A receive from any source. */
    static final int ANY = -1;

    /**
     * A message.
     *
     * @param sender who sent it
     * @param tag its tag
     * @param length its length
     */
    record Message(int sender, long tag, long length) {}

    /**
     * A receive.
     *
     * @param source the sender that it names, or {@link #ANY}
     * @param tag its tag
     * @param mask its mask
     */
    record Receive(int source, long tag, long mask) {
        boolean accepts(Message message) {
            return ((tag ^ message.tag) & mask) == 0 && (source == ANY || source == message.sender);
        }
    }

    private final List<Message> messages = new ArrayList<>();
    private final List<Receive> receives = new ArrayList<>();
    private final List<Integer> messageOfReceive = new ArrayList<>();
    private final List<Integer> receiveOfMessage = new ArrayList<>();

    /** Adds a message behind all others of its sender. */
    void sent(Message message) {
        messages.add(message);
        receiveOfMessage.add(NONE);
    }

    /** Adds a receive behind all others. */
    int posted(Receive receive) {
        receives.add(receive);
        messageOfReceive.add(NONE);
        return receives.size() - 1;
    }

    int messageCount() {
        return messages.size();
    }

    Message message(int index) {
        return messages.get(index);
    }

    /** Records that a receive has matched a message. */
    void met(int receive, int message) {
        if (receiveOfMessage.get(message) != NONE) {
            throw new AssertionError("message received twice: message=" + message + ", receives="
                    + receiveOfMessage.get(message) + " and " + receive);
        }
        if (!receives.get(receive).accepts(messages.get(message))) {
            throw new AssertionError("receive took a message that it does not match: " + describe(receive, message));
        }
        receiveOfMessage.set(message, receive);
        messageOfReceive.set(receive, message);
    }

    /** Checks that no receive and message both prefer each other to their match. */
    void verify() {
        for (int m = 0; m < messages.size(); m++) {
            Message message = messages.get(m);
            int taker = receiveOfMessage.get(m);
            int end = taker == NONE ? receives.size() : taker;
            for (int r = 0; r < end; r++) {
                if (receives.get(r).accepts(message) && prefers(r, m)) {
                    throw new AssertionError("wrong match: " + describe(r, m) + ", but the receive got message "
                            + messageOfReceive.get(r) + " and the message went to receive " + taker);
                }
            }
        }
    }

    private boolean prefers(int receive, int message) {
        int got = messageOfReceive.get(receive);
        return got == NONE || (messages.get(got).sender == messages.get(message).sender && message < got);
    }

    private String describe(int receive, int message) {
        return "receive " + receive + " " + receives.get(receive) + ", message " + message + " "
                + messages.get(message);
    }
}
