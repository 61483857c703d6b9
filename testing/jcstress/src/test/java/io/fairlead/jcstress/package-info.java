/** Runs jcstress over the tests of this module, which are in the packages of what they test. */
@NullMarked
package io.fairlead.jcstress;

import org.jspecify.annotations.NullMarked;
