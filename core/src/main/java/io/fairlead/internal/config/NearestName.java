package io.fairlead.internal.config;

import java.util.Collection;
import java.util.Comparator;

/** Finds what somebody meant who mistyped a name. */
final class NearestName {
    private NearestName() {}

    /**
     * Puts the nearest name into words.
     *
     * @param prefix what every name begins with
     * @param typed what was typed behind the prefix
     * @param known what it may have meant, without the prefix, not empty
     * @param otherwise what to add if nothing is so near that it was probably meant; may be empty
     * @return a question if something is near, else a statement
     */
    static String hint(String prefix, String typed, Collection<String> known, String otherwise) {
        String nearest = known.stream()
                .min(Comparator.<String>comparingInt(name -> distance(typed, name))
                        .thenComparing(name -> name))
                .orElseThrow();
        boolean near = distance(typed, nearest) <= Math.max(2, typed.length() / 3);
        return near ? "did you mean " + prefix + nearest + "?" : "the nearest is " + prefix + nearest + otherwise;
    }

    /** How many letters were left out, added, replaced or swapped with their neighbours. */
    static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        int[] above = new int[other.length() + 1];
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int cost = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], above[j]) + 1, above[j - 1] + cost);
                if (i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1)) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
            int[] free = before;
            before = above;
            above = row;
            row = free;
        }
        return above[other.length()];
    }
}
