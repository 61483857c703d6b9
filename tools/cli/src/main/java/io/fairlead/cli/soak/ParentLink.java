package io.fairlead.cli.soak;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A member's way to its parent during a round. Thread-safe. */
final class ParentLink {
    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
    private volatile boolean over;

    /** Tells the parent that it may begin, with what it needs to know. */
    void ready(String details) {
        answer(MemberLine.READY, details);
    }

    /** Answers an order by a word and what follows it. */
    void answer(String word, String details) {
        System.out.println(word + details);
    }

    /** Called by the thread that reads what the parent says. */
    void take(String order) {
        orders.add(order);
    }

    /** The parent has ended its half, or has gone. */
    void end() {
        over = true;
        orders.add(MemberLine.END);
    }

    boolean isOver() {
        return over;
    }

    /** The next order that has come, or the empty string. */
    String order() {
        String order = orders.poll();
        return order == null ? "" : order;
    }

    /** Sleeps until an order comes, {@link MemberLine#END} at the end. */
    String awaitOrder(long limitMs) throws InterruptedException {
        String order = over ? MemberLine.END : orders.poll(limitMs, TimeUnit.MILLISECONDS);
        return order == null ? "" : order;
    }
}
