package io.fairlead.internal.names;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a mistyped one was meant to be: a key, an environment variable, an option, a command. */
public final class NearestName {
    /** One letter out of this many may be wrong. A suggestion with more differences would be misleading. */
    private static final int LETTERS_PER_MISTAKE = 3;

    private NearestName() {}

    /**
     * Finds the name that was probably meant.
     *
     * @param typed the mistyped name
     * @param known the known names
     * @return the nearest name, the first in alphabetical order of those equally near; empty if none is near
     */
    public static Optional<String> of(String typed, Collection<String> known) {
        // Long names are slow to compare, and names of very different lengths are not near.
        return known.stream()
                .filter(name -> Math.abs(typed.length() - name.length()) <= mistakesMax(typed, name))
                .min(Comparator.<String>comparingInt(name -> distance(typed, name))
                        .thenComparing(name -> name))
                .filter(nearest -> distance(typed, nearest) <= mistakesMax(typed, nearest));
    }

    /** One mistake is allowed in a short name too, as in "sud" for "sub", but not in a name of one letter. */
    private static int mistakesMax(String typed, String nearest) {
        int shorter = Math.min(typed.length(), nearest.length());
        return shorter < 2 ? 0 : Math.max(1, shorter / LETTERS_PER_MISTAKE);
    }

    /** The number of letters that were omitted, added, replaced or swapped with their neighbours. */
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
