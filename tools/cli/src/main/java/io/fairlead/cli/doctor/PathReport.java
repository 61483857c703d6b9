package io.fairlead.cli.doctor;

import io.fairlead.Path;
import java.util.List;
import java.util.Locale;

/**
 * The path of a pair, as {@code fairlead doctor} prints it and as its processes report it.
 *
 * @param transport the transport's name
 * @param pathClass the kind of path, such as {@code shared-memory}
 * @param device what it runs over
 * @param lanes the transport's names for what it combines
 * @param cause why it was chosen, as one of a closed set
 * @param reason why it was chosen, in words
 * @param text all of it in one line
 */
public record PathReport(
        String transport,
        String pathClass,
        String device,
        List<String> lanes,
        String cause,
        String reason,
        String text) {
    /**
     * Puts a path into words.
     *
     * @param path an endpoint's
     * @return the same for a report
     */
    public static PathReport of(Path path) {
        return new PathReport(
                path.transport(),
                word(path.pathClass()),
                path.device(),
                path.lanes(),
                word(path.cause()),
                path.reason(),
                path.toString());
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
