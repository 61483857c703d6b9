package io.fairlead.samples.doctor;

import io.fairlead.Path;
import java.util.List;
import java.util.Locale;

/** The path of a pair, as {@code fairlead doctor} prints it and as its processes tell it. */
record PathReport(
        String transport,
        String pathClass,
        String device,
        List<String> lanes,
        String cause,
        String reason,
        String text) {
    static PathReport of(Path path) {
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
