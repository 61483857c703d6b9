package io.fairlead;

import java.util.Locale;

/** What a {@link Node} does with operations that cannot be taken on now. The value of {@code node.back-pressure}. */
public enum BackPressure {
    /**
     * They wait. An operation that the engine answers {@link Status#BACK_PRESSURE} is posted again until it is taken; when
     * {@code node.queue-max} operations of a peer wait like that, a further call blocks its thread until there is room, for at most
     * {@code node.wait-timeout}, and then fails its future with {@link Status#BACK_PRESSURE}. On a progress thread it fails at once.
     */
    WAIT,
    /** They fail: the future completes with {@link Status#BACK_PRESSURE}, nothing was started, and no call ever blocks. */
    FAIL;

    /**
     * Reads the text of the configuration.
     *
     * @param text {@code wait} or {@code fail}, in any case
     * @return the choice
     * @throws IllegalArgumentException if the text is neither
     */
    public static BackPressure parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "wait" -> WAIT;
            case "fail" -> FAIL;
            default -> throw new IllegalArgumentException("unknown choice: backPressure=" + text + ", wait or fail");
        };
    }

    /** The text that {@link #parse(String)} reads. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
